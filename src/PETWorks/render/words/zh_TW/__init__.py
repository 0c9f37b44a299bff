"""繁體中文（臺灣）。"""

from PETWorks.render.words.vocabulary import Vocabulary
from PETWorks.render.words.zh_TW.app import APP
from PETWorks.render.words.zh_TW.command import COMMAND, STARTING, TEMPLATES
from PETWorks.render.words.zh_TW.inspection import HIERARCHIES, INSPECTION
from PETWorks.render.words.zh_TW.making import COMPARISON, MADE, MAKING
from PETWorks.render.words.zh_TW.report import ANNEX, LEADS, PAGE, STEPS

VOCABULARY = Vocabulary(
    colon="：",
    comma="，",
    separator="、",
    missing="（空白）",
    band="{}–{}",
    band_below="不足 {}",
    gap="",
    untold="不顯示",
    withheld="其值不顯示",
    lift="{column} 概化至第 {level} 層",
    complete_lift="{column} 完全概化",
    leads=LEADS,
    steps=STEPS,
    page=PAGE | ANNEX | MADE | COMPARISON,
    app=APP,
    command=COMMAND,
    making=MAKING,
    inspection=INSPECTION | STARTING,
    hierarchies=HIERARCHIES,
    templates=TEMPLATES,
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
    scope="資料列 {rows} 筆，整列遮蔽 {suppressed} 筆（{share:%}），等價類 {classes} 個",
    failing="{all_classes} 個等價類中有 {classes} 個、{all_rows} 人中有 {rows} 人不滿足。",
    worst="最不利的等價類：",
    one_class="{values}（{rows} 筆中的 {size} 筆）：{score}",
    skipped="未評估",
    more="…另有 {} 項",
    hopeless="{all_classes} 個等價類中有 {classes} 個，設定任何門檻均無法滿足。",
    notes={
        "encoding": "{file} 不是 UTF-8 編碼，亦未指定編碼，故以 {encoding} 讀取。",
        "sizes_only": "僅得知各等價類的大小：所有相異的值組合無法容納於 {memory} 的記憶體。",
        "too_large": "{columns} 個欄位有 {combinations} 種相異的組合，約需 {needed} 的記憶體；可用上限為 {memory}"
        "（memory_limit）。",
        "known_one": "以人計而非以列計：{people} 人共有 {rows} 筆發布的資料列。假設攻擊者知道一個人的一筆紀錄"
        '（known="one"）；屬於多個等價類的人在每一類各計一次：{classes} 個等價類共計 {pairs} 人次。',
        "known_all": "以人計而非以列計：{people} 人共有 {rows} 筆發布的資料列。假設攻擊者知道一個人的全部紀錄"
        '（known="all"）：紀錄完全相同的人構成一個等價類。',
        "joinable": '發布資料表的 {column} 可將同一人的資料列連結起來：僅有 known="all" 的結果適用。',
        "population_rows": "母體未說明各列屬於誰：每一列視為一人，一人有多列者會重複計入。",
        "sidecar": "未指定的設定取自 {file}。",
        "misspelt_hierarchy": "資料階層 {name} 無對應欄位，未使用。若為欄位 {column} 的資料階層，請更正其名稱。",
        "stray_hierarchies": "下列資料階層無對應欄位，未使用：{names}。",
        "unexplained": "{columns} 的 {of} 個儲存格中，有 {cells} 個的值並非其原始值的概化結果；"
        "以層級計算的指標不會計入此損失。",
        "displaced": "{of} 筆資料列中，約有 {rows} 筆似乎未與其原始資料列配對：這些資料列同時在數個欄位中出現此類值。",
        "publishes_identifier": "下列欄位形似直接識別屬性，卻照原樣發布：{columns}。知道其值者即可找出當事人，"
        "與各項要求是否滿足無關。請將其設為直接識別屬性，或確認其值不指向任何人。",
        "never_fails": "任何資料表都不會違反這項要求，其滿足不具意義：{measure}。",
        "identifier_in_clear": "發布資料表仍含有未經遮蔽的直接識別屬性：{columns}。知道其值者即可找出當事人，"
        "與各項要求是否滿足無關。請移除這些欄位，或遮蔽其儲存格。",
        "removed_requirement": "看到代價之後移除了一項要求：{measure}；理由：{why}",
        "forgiven": "{column}：有 {cells} 個儲存格的值不在資料階層中，視為完全概化。",
        "nothing_published": "全部資料列皆遭整列遮蔽，未發布任何資料，故無從違反要求。",
        "few_suppressed": "整列遮蔽的資料列所屬的人少於 {size} 人：已知在表中而不屬於任何等價類的人，必為其中之一。",
        "lookalikes": "有些資料列的每個準識別屬性都是 NA、- 之類的記號或空白，目前計為一個等價類。"
        "若為整列遮蔽的資料列，請以 suppressed= 指明其記號。",
        "needs_original": "須與原始資料表比較，請以 original= 提供。",
        "needs_sensitive": "須有敏感屬性，請以 sensitive= 指定。",
        "needs_population": "須與包含發布資料表的母體比較，請以 population= 提供。",
        "needs_weight": "須提供抽樣權數，請以 weight= 指定其欄位",
        "needs_population_size": "須得知母體大小，請以 population_size= 或 sampling_fraction= 提供，"
        "或以 population= 提供母體。",
        "needs_levels": "須得知各欄位概化的程度，請以 original= 提供原始資料表，"
        "或以 hierarchies= 提供 {columns} 的資料階層。",
        "needs_parameters": "須提供參數：{call}。",
        "error": "{text}",
        "withheld": "其值不顯示，以免推知哪些等價類不足 {least} 人。",
        "missing": "{column}：有 {cells} 個空白儲存格，視為一種獨立的值。",
    },
)
