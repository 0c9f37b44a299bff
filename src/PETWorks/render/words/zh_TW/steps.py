"""多項指標共用的步驟；各指標自己的步驟寫在其檔案中。"""

LEADS = {"untold": "此指標未說明之處：", "improve": "可改善的方式："}

STEPS = {
    "grouped": "以 {columns} 將 {rows} 筆發布的資料列分為 {classes} 個等價類；{suppressed} 筆整列遮蔽者不構成等價類。",
    "grouped_all": "以 {columns} 將 {rows} 筆資料列分為 {classes} 個等價類。",
    "nothing_published": "全部資料列皆遭整列遮蔽，未發布任何資料，故無從違反要求。",
    "hopeless": "{all_classes} 個等價類中有 {classes} 個，設定任何門檻均無法滿足。",
    "deciding": "{all_classes} 個等價類中，決定結果者有 {size} 人：{values}。",
    "deciding_withheld": "{all_classes} 個等價類中，決定結果者有 {size} 人；其值不顯示（不足 {least} 人）。",
    "withheld": "{all_classes} 個等價類中，決定結果者僅 {size} 人，其值不顯示（不足 {least} 人）。"
    "以下改以人數最多的等價類（{stand_in} 人：{values}）示範相同計算。",
    "withheld_failing": "{all_classes} 個等價類中，決定結果者僅 {size} 人，其值不顯示（不足 {least} 人）。"
    "以下改以未通過者中人數最多的等價類（{stand_in} 人：{values}）示範相同計算。",
    "withheld_all": "{all_classes} 個等價類中，決定結果者僅 {size} 人。各等價類均不足 {least} 人，其值一律不顯示。",
    "counts_withheld": "等價類中不足 {least} 人的值不逐一列出。此等價類的結果為 {score}。",
    "suppressing": "若遮蔽未通過的 {classes} 個等價類（{people} 人），即可滿足。",
    "generalising": "若將 {column} 完全概化，未通過者由 {people} 人降為 {left} 人。",
    "by_column": "檢視 {columns} 個欄位，失真最多者依序為：",
    "column_loss": "{column}：{possible} 中損失 {lost}，保留 {value}",
    "nothing_to_lose": "沒有可損失的內容，故數值為 {value}。",
    "one_minus": "可損失的 {possible} 中損失了 {lost}，占 {share}：1 - {share} = {value}。1 為與原始相同，0 為毫無保留。",
    "one_minus_cut": "可損失的 {possible} 中損失了 {lost}，占 {share}：1 - {share} 超出 0 至 1 的範圍，取 {value}。",
    "unjudged": "其值為 {value:exact}。",
    "unjudged at most": "其值為 {value:exact}，越小越好。未設定門檻，故不判定。",
    "unjudged less than": "其值為 {value:exact}，越小越好。未設定門檻，故不判定。",
    "unjudged at least": "其值為 {value:exact}，越大越好。未設定門檻，故不判定。",
    "unjudged more than": "其值為 {value:exact}，越大越好。未設定門檻，故不判定。",
    "holds at most": "{value} 不超過 {limit}，滿足要求。",
    "holds less than": "{value} 小於 {limit}，滿足要求。",
    "holds at least": "{value} 至少為 {limit}，滿足要求。",
    "holds more than": "{value} 大於 {limit}，滿足要求。",
    "holds nothing": "未發布任何等價類，故未違反門檻 {limit}。",
    "fails at most": "{value} 超過 {limit}，不滿足要求。",
    "fails less than": "{value} 不小於 {limit}，不滿足要求。",
    "fails at least": "{value} 低於 {limit}，不滿足要求。",
    "fails more than": "{value} 不大於 {limit}，不滿足要求。",
    "fails at most, classes": "{value} 超過 {limit}，不滿足要求；計 {classes} 個等價類、{people} 人未通過。",
    "fails less than, classes": "{value} 不小於 {limit}，不滿足要求；計 {classes} 個等價類、{people} 人未通過。",
    "fails at least, classes": "{value} 低於 {limit}，不滿足要求；計 {classes} 個等價類、{people} 人未通過。",
    "fails more than, classes": "{value} 不大於 {limit}，不滿足要求；計 {classes} 個等價類、{people} 人未通過。",
    "fails hopeless": "設定任何門檻均無法滿足，故 {limit} 亦不滿足；計 {classes} 個等價類、{people} 人未通過。",
}
