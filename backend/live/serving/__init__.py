"""The live backend: models that other processes ask, on Ray Serve. `flipside serve` starts it.

`places.py` hangs up on who asks nothing, `door.py` lets in who has the token, `replica.py` is what Ray Serve runs,
`service.py` what it does; `running.py` starts and ends all of it. The other side is `backend/live/remote/`.
"""
