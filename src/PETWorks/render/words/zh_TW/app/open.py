"""The application, step 1: which table is it about?"""

OPEN: dict[str, str] = {
    "open_question": "要處理哪一份資料表？",
    "open_empty": "選擇資料表，或試用示範資料",
    "open_did_table": "開啟 {table}",
    "open_did_found": "開啟既有的 policy.toml",
    "open_did_outside": "policy.toml 已由外部變更",
}
