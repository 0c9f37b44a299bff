"""Files that are not UTF-8: CP950 by guess only if they read like Chinese, else an error that asks for encoding=."""

import gzip

import pytest

import PETWorks as pw
from PETWorks.errors import EncodingError, HierarchyError
from PETWorks.tables import decoding
from PETWorks.tables.opening import open_source
from support.rules import read_hierarchy

WESTERN = {
    "Danish": "København;Århus;Rødovre;smørrebrød",
    "German": "München;Köln;Nürnberg;Würzburg;Größe",
    "French": "Orléans;Besançon;Nîmes;Mâcon;prénom",
    "Swedish": "Malmö;Göteborg;Umeå;Västerås",
    "Spanish": "Málaga;León;Cáceres;Logroño;años",
    "Portuguese": "São Paulo;Ribeirão;Conceição;irmãos",
}
CHINESE = "性別;縣市;診斷\n男;高雄市;感冒\n女;臺北市;流感A型\n女;新竹縣;糖尿病\n"


def write_rows(folder, words, encoding="latin-1", header="city"):
    path = folder / "t.csv"
    path.write_bytes("\n".join([header, *words.split(";") * 3, ""]).encode(encoding))
    return path


def read_rows(path, **options):
    source = open_source(path, "t", **options)
    return source, source.tally(source.columns)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("language", WESTERN)
@pytest.mark.parametrize("block", [decoding.BLOCK, 7, 1])
def test_western_text_is_never_chinese(tmp_path, monkeypatch, language, encoding, block):
    monkeypatch.setattr(decoding, "BLOCK", block)
    path = write_rows(tmp_path, WESTERN[language], encoding)
    with pytest.raises(EncodingError) as found:
        read_rows(path)
    assert "encoding=" in found.value.hint
    assert "t.csv, line " in found.value.where
    assert not any(word in str(found.value) for word in WESTERN[language].split(";"))
    _, tally = read_rows(path, encoding=encoding)
    assert {values for values, _ in tally.items()} == {(word,) for word in WESTERN[language].split(";")}


@pytest.mark.parametrize("block", [decoding.BLOCK, 64, 2])
def test_one_western_word_among_many_lines_is_found(tmp_path, monkeypatch, block):
    monkeypatch.setattr(decoding, "BLOCK", block)
    path = tmp_path / "t.csv"
    path.write_bytes(b"city;age\n" + b"Copenhagen;4\n" * 300 + "København;5\n".encode("latin-1") + b"x;6\n" * 300)
    with pytest.raises(EncodingError, match="line 302"):
        read_rows(path)


@pytest.mark.parametrize("command", ["columns", "delimiter"])
def test_a_header_or_line_that_cp950_damages_is_an_error_about_the_encoding(tmp_path, command):
    path = tmp_path / "t.csv"
    lines = {"columns": "prénom;Größe\nAnna;4\n", "delimiter": "name|city\nRené|Caen\nAnna|Nîmes\n"}
    path.write_bytes(lines[command].encode("latin-1"))
    with pytest.raises(EncodingError):
        read_rows(path)


def test_a_compressed_file_and_a_hierarchy_are_judged_alike(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("city\nKøbenhavn\nBrøndby\n".encode("latin-1")))
    with pytest.raises(EncodingError):
        read_rows(tmp_path / "t.csv.gz")
    hierarchy = tmp_path / "x_hierarchy_city.csv"
    hierarchy.write_bytes("København;Sjælland;*\nOdense;Fyn;*\n".encode("latin-1"))
    with pytest.raises(HierarchyError, match="UTF-8"):
        read_hierarchy("city", hierarchy)


@pytest.mark.parametrize("block", [decoding.BLOCK, 5, 1])
def test_chinese_text_is_read_as_cp950(tmp_path, monkeypatch, block):
    monkeypatch.setattr(decoding, "BLOCK", block)
    path = tmp_path / "t.csv"
    path.write_bytes(CHINESE.encode("cp950"))
    source, tally = read_rows(path)
    assert source.encoding == "cp950"
    assert ("女", "臺北市", "流感A型") in {values for values, _ in tally.items()}


@pytest.mark.parametrize(("frequent", "chinese"), [(3, False), (4, True)])
def test_four_of_five_characters_must_be_frequent(tmp_path, frequent, chinese):
    path = tmp_path / "t.csv"
    path.write_bytes(b"word\n" + b"\xa4\xa4\n" * frequent + b"\xc9\x40\n")
    if chinese:
        assert read_rows(path)[0].encoding == "cp950"
    else:
        with pytest.raises(EncodingError):
            read_rows(path)


@pytest.mark.parametrize(("apart", "chinese"), [(3, False), (4, True)])
def test_at_most_one_of_five_characters_is_behind_a_letter(tmp_path, apart, chinese):
    path = tmp_path / "t.csv"
    path.write_bytes(("word\n" + "中\n" * apart + "A中\n").encode("cp950"))
    if chinese:
        assert read_rows(path)[0].encoding == "cp950"
    else:
        with pytest.raises(EncodingError):
            read_rows(path)


def test_no_release_of_western_text_is_written_as_chinese(tmp_path):
    path = write_rows(tmp_path, WESTERN["Danish"])
    with pytest.raises(EncodingError):
        pw.anonymize(path, goals=[pw.KAnonymity(k=2)], quasi_identifiers=["city"]).write(tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()
