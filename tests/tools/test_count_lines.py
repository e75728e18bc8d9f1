"""What `tools/count_lines.py` counts, and under which folder."""

from tools.count_lines import count_lines, group_of


def test_a_file_is_counted_once_under_its_folder_or_as_a_test():
    names = {
        "model/networks/attention.py": "model",
        "assets/code/loss/gold.py": "assets/code",
        "web/src/core/label.ts": "web",
        "web/tests/label.test.ts": "tests",
        "tests/model/test_words.py": "tests",
        "app.py": "app.py",
    }
    assert {name: group_of(name) for name in names} == names


def test_built_files_tools_and_documents_are_not_counted():
    for name in ("views/components/static/app.js", "tools/count_lines.py", "benchmarks/load.py", "README.md"):
        assert group_of(name) is None, name


def test_every_line_counts_blank_ones_too(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/one.py").write_text("a = 1\n\n\nb = 2\n", encoding="utf-8")
    (tmp_path / "model/two.py").write_text("", encoding="utf-8")
    counts = count_lines(tmp_path, ["model/one.py", "model/two.py"])
    assert {group: (count.files, count.lines) for group, count in counts.items()} == {"model": (2, 4)}
