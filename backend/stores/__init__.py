"""Object stores (`s3://…`) through fsspec: pictures opened where they are, annotations of a data folder brought here
(`mirror`), runs kept there beside the cache (`runs`). Begin with `opening`."""
