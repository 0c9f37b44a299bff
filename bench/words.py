"""The words of the tables, in both languages."""

from __future__ import annotations

CASES = {
    "en": {
        "classes": "Everything about classes, Parquet",
        "independent": "The same, many combinations",
        "pair": "Original against release, Parquet",
        "csv": "Everything about classes, CSV",
        "pycanon": "What pycanon measures, of a data frame",
        "demo": "Adult, CSV",
        "memory": "Every row different, memory limit 500 MB",
        "microaggregation": "Means of groups of 5, three columns, Parquet",
        "growth": "Growth of time with rows, from 1 M to 100 M, as an exponent",
    },
    "zh-TW": {
        "classes": "所有以等價類計算的指標，Parquet",
        "independent": "同上，組合數很多",
        "pair": "原始資料表與發布資料表對照，Parquet",
        "csv": "所有以等價類計算的指標，CSV",
        "pycanon": "pycanon 所有的指標，DataFrame",
        "demo": "Adult，CSV",
        "memory": "每列皆不同，記憶體上限 500 MB",
        "microaggregation": "每組至少 5 列的平均值，三個欄位，Parquet",
        "growth": "時間隨列數增長的指數，從 1 M 到 100 M",
    },
}

BASELINES = {
    "en": {
        "classes": "DuckDB `GROUP BY`",
        "independent": "DuckDB `GROUP BY`",
        "pair": "DuckDB `GROUP BY`, of both",
        "csv": "fastest CSV reader, and DuckDB `GROUP BY`",
        "pycanon": "pycanon",
        "demo": "fastest CSV reader",
        "memory": "DuckDB `GROUP BY`, without limit",
        "microaggregation": "DuckDB `GROUP BY`",
        "growth": "DuckDB `GROUP BY`",
    },
    "zh-TW": {
        "classes": "DuckDB `GROUP BY`",
        "independent": "DuckDB `GROUP BY`",
        "pair": "DuckDB `GROUP BY`，兩個資料表合計",
        "csv": "最快的 CSV 讀取，加上 DuckDB `GROUP BY`",
        "pycanon": "pycanon",
        "demo": "最快的 CSV 讀取",
        "memory": "DuckDB `GROUP BY`，不設上限",
        "microaggregation": "DuckDB `GROUP BY`",
        "growth": "DuckDB `GROUP BY`",
    },
}

CONTESTANTS = {
    "en": {
        "petworks": "PETWorks",
        "petworks_nine": "PETWorks",
        "petworks_demo": "PETWorks",
        "petworks_means": "PETWorks",
        "floor": "DuckDB `GROUP BY`",
        "floor:original": "DuckDB `GROUP BY`, original",
        "floor:release": "DuckDB `GROUP BY`, release",
        "pandas_groupby": "pandas `groupby`, already in memory",
        "pandas_read_groupby": "pandas, reading and `groupby`",
        "pycanon_nine": "pycanon",
        "duckdb_csv": "reading in DuckDB",
        "pyarrow_csv": "reading in pyarrow",
        "polars_csv": "reading in polars",
    },
    "zh-TW": {
        "petworks": "PETWorks",
        "petworks_nine": "PETWorks",
        "petworks_demo": "PETWorks",
        "petworks_means": "PETWorks",
        "floor": "DuckDB `GROUP BY`",
        "floor:original": "DuckDB `GROUP BY`，原始資料表",
        "floor:release": "DuckDB `GROUP BY`，發布資料表",
        "pandas_groupby": "pandas `groupby`，已在記憶體中",
        "pandas_read_groupby": "pandas，讀取並 `groupby`",
        "pycanon_nine": "pycanon",
        "duckdb_csv": "以 DuckDB 讀取",
        "pyarrow_csv": "以 pyarrow 讀取",
        "polars_csv": "以 polars 讀取",
    },
}

HEADS = {
    "en": {
        "table": ("what, against what", "rows", "PETWorks", "the other", "ratio", "memory"),
        "every": ("what", "rows", "contestant", "best", "processor time", "times", "peak memory"),
        "machine": ("", "measured on"),
    },
    "zh-TW": {
        "table": ("項目與比較對象", "列數", "PETWorks", "對象", "倍率", "記憶體"),
        "every": ("項目", "列數", "程式", "最佳", "處理器時間", "次數", "記憶體峰值"),
        "machine": ("", "測量環境"),
    },
}

PHRASES = {
    "en": {
        "seconds": "{} s",
        "ratio": "{} ×",
        "none": "–",
        "against": "against {}",
        "measures": "{}: {} measures",
        "skipped": "not measured: `{}`",
        "separator": "; ",
        "once": "**Provisional:** everything ran only once.",
        "busy": "**Provisional:** the machine was busy with other work (load {}).",
        "processor": "processor",
        "cores": "cores",
        "memory": "memory",
        "system": "system",
        "python": "Python",
        "versions": "packages",
        "load": "load before (1, 5, 15 minutes)",
        "date": "date",
    },
    "zh-TW": {
        "seconds": "{} 秒",
        "ratio": "{} 倍",
        "none": "–",
        "against": "對象：{}",
        "measures": "{}：{} 項指標",
        "skipped": "未測量：`{}`",
        "separator": "；",
        "once": "**暫定結果**：每項只執行一次。",
        "busy": "**暫定結果**：測量前電腦正忙於其他工作（負載 {}）。",
        "processor": "處理器",
        "cores": "核心數",
        "memory": "記憶體",
        "system": "系統",
        "python": "Python",
        "versions": "套件",
        "load": "測量前的負載（1、5、15 分鐘）",
        "date": "日期",
    },
}
