"""繁體中文（臺灣）。"""

from PETWorks.render.words.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    colon="：",
    comma="，",
    brackets="（{}）",
    holds="滿足",
    fails="不滿足",
    higher="越大越好",
    lower="越小越好",
    sides={
        "at most": "至多 {}",
        "at least": "至少 {}",
        "less than": "小於 {}",
        "more than": "大於 {}",
    },
    scope="{rows} 列，整列遮蔽 {suppressed} 列（{share}），等價類 {classes} 個",
    failing="{all_classes} 個等價類中有 {classes} 個、{all_rows} 人中有 {rows} 人未通過。",
    worst="最不利的等價類：",
    one_class="{values}（{rows} 列中的 {size} 列）：{score}",
    skipped="未評估",
    distances={
        "ordered": "有序",
        "hierarchical": "階層",
        "equal": "等距",
    },
    parts={
        "publisher": "發布者",
        "adversary": "攻擊者",
    },
    notes={
        "encoding": "{file} 以 {encoding} 編碼讀取。",
        "sidecar": "未指定的設定取自 {file}。",
        "stray_hierarchies": "下列資料階層無對應欄位，未使用：{names}。",
        "unexplained": "{column}：{of} 個儲存格中，有 {cells} 個的值並非其原始值的概化結果；"
        "以層級計算的指標不會計入此損失。",
        "forgiven": "{column}：有 {cells} 個儲存格的值不在資料階層中，視為完全概化。",
        "unpublished": "{part}：有 {rows} 筆整列遮蔽的資料列未發布此值，不計入整體分布。",
        "nearly_numeric": "{part} 因含有下列值而不視為數值：{values}。",
        "nothing_published": "全部資料列皆遭整列遮蔽，未發布任何資料，故無從違反要求。",
        "missing": "{column}：有 {cells} 個空白儲存格，視為一種獨立的值。",
    },
    demo="以下為 Adult 發布資料表的評估結果：九個欄位均為準識別屬性；計算 t-相似性時，salary-class 為敏感屬性。",
)
