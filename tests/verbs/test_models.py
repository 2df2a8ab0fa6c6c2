def test_families_with_specs_to_copy(flipside):
    families = flipside("models", "--json").json["families"]
    assert {"sentence", "dual-openclip", "blind-lm"} <= {family["name"] for family in families}
    for family in families:
        assert family["kinds"]
        assert family["examples"], family["name"]
        assert all(":" in example for example in family["examples"])


def test_bundled_models_are_named_by_their_specs(flipside, tmp_path, monkeypatch):
    (tmp_path / "clip").mkdir()
    (tmp_path / "clip" / "config.json").touch()
    monkeypatch.setattr("backend.verbs.models.bundled_models_dir", lambda: tmp_path)
    assert flipside("models", "--json").json["bundled"] == ["bundled:clip"]
    assert "bundled: bundled:clip" in flipside("models").out


def test_an_empty_folder_says_how_to_fill_it(flipside, tmp_path, monkeypatch):
    monkeypatch.setattr("backend.verbs.models.bundled_models_dir", lambda: tmp_path)
    assert "make models" in flipside("models").out
