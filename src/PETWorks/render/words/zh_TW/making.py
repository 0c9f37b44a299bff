"""How a release was made."""

MAKING: dict[str, str] = {
    "utility": "資料效用",
    "weighted": "加權的資料效用",
    "loss": "損失",
    "of_rows": "資料列",
    "of_people": "人",
    "head": "由 {table} 製作：{rows} 列，整列遮蔽 {suppressed} 列（{share:%}），等價類 {classes} 個",
    "head_removed": "由 {table} 製作：{rows} 列，移除 {suppressed} 列（{share:%}），等價類 {classes} 個",
    "lost": "損失：{value}（越小越好）",
    "kept": "加權的資料效用：{value}（越大越好）",
    "without_hierarchy": "{columns} 沒有資料階層：值不是保留，就是成為 *。",
    # in short
    "short_levels": "層級：{levels}",
    "short_proven": "已證明：{vectors} 種層級組合中，沒有更好的。",
    "short_proven_groups": "已證明：沒有損失更少的分組。",
    "short_not_proven": "未證明為最佳。",
    "short_parts": "發布的值也取決於敏感值。",
    # what was allowed
    "none_allowed": "不得整列遮蔽任何資料列。",
    "allowed": "至多可整列遮蔽 {rate:%} 的資料列：{all} 列中的 {allowed} 列。",
    "people_allowed": "至多可遮蔽 {rate:%} 的人，連同其所有資料列：{all} 人中的 {allowed} 人。",
    "people": "要求以人計，一人可有多列；假設攻擊者知道一個人的{records}。"
    "{people} 人中，有 {suppressed} 人的資料列遭到整列遮蔽。",
    "known_one": '一筆紀錄（known="one"）',
    "known_all": '全部紀錄（known="all"）',
    # what was done
    "levels": "每個欄位以其資料階層的一個層級發布：",
    "levels_costs": "每個欄位以其資料階層的一個層級發布。各欄位占全部損失的比例（含整列遮蔽者）為：",
    "level": "{column}：第 {level} 層／共 {height} 層",
    "level_cost": "{column}：第 {level} 層／共 {height} 層，{share:%}",
    "mixed": "各資料列的層級可不同。各欄位每一層級的列數：",
    "mixed_costs": "各資料列的層級可不同。各欄位每一層級的列數，以及占全部損失的比例（含整列遮蔽者）：",
    "mixed_column": "{column}：{rows}",
    "mixed_column_cost": "{column}：{rows}；{share:%}",
    "means": "每個儲存格為其分組的平均值。依平方誤差，各欄位保留：",
    "mean_left": "{column}：{value}",
    "parts": "發布的值也取決於敏感值：準識別屬性相同的人，發布的值可能不同。"
    "知道這些值如何選定的人，可能由此推知敏感值的一些資訊（最小性攻擊），此處沒有任何指標將其計入。",
    "parts_not_needed": "發布的值也可取決於敏感值，但如此並未找到更好的：準識別屬性相同的人，發布的值也相同。",
    # how it is known to be the best
    "given": "下列層級由使用者選定：{levels}。",
    "bounds": "層級限定於：{bounds}。",
    "better": "並非最佳：層級由使用者選定，另有滿足目標且更好者。若採 {levels}：{measure} {value}，而非 {best}；"
    "整列遮蔽 {rows} 列。",
    "proven": "{vectors} 種層級組合中，沒有更好的：已評估 {evaluated} 種；因須遮蔽過多{unit}而排除 {by_goals} 種；"
    "因損失較多而排除 {by_bound} 種。",
    "not_proven": "搜尋提前停止，未證明為最佳。{vectors} 種層級組合中，已評估 {evaluated} 種；"
    "因須遮蔽過多{unit}而排除 {by_goals} 種；因損失較多而排除 {by_bound} 種；尚有 {open} 種未定。",
    "not_proven_removed": "未證明為最佳：部分等價類在其他等價類移除後不再滿足目標，也已移除。{vectors} 種層級組合中，"
    "已評估 {evaluated} 種；因須移除過多{unit}而排除 {by_goals} 種；因損失較多而排除 {by_bound} 種。",
    "proven_groups": "此欄位沒有損失更少的分組。",
    "not_proven_groups": "未證明為最佳：其他分組的損失可能更少。",
    "not_proven_rounds": "未證明為最佳：已改善 {rounds} 輪，其他做法的損失可能更少。",
    "bound_above": "其他做法的{measure}皆不超過 {bound}；目前為 {value}。",
    "bound_below": "其他做法的{measure}皆不低於 {bound}；目前為 {value}。",
    # what else there was
    "next_best": "次佳的層級組合，不同之處為：{levels}；{measure}為 {value}，而非 {best}；整列遮蔽 {rows} 列。",
    "next_best_found": "所找到的次佳，不同之處為：{levels}；{measure}為 {value}，而非 {best}；整列遮蔽 {rows} 列。"
    "兩者之間可能還有其他組合。",
    "next_best_tie": "次佳的層級組合，不同之處為：{levels}；{measure}同為 {value}；整列遮蔽 {rows} 列。"
    "相同時，取整列遮蔽較少者，其次取層級較低者。",
    "no_other": "沒有其他層級組合滿足目標。",
    "no_other_found": "未找到其他滿足目標的層級組合。",
    "more": "若至多可整列遮蔽 {rate:%} 而非 {before:%}，則為：{levels}；"
    "{measure}為 {value}，而非 {best}；整列遮蔽 {rows} 列。",
    "more_nothing": "若至多可整列遮蔽 {rate:%} 而非 {before:%}，並無助益。",
    "more_not_found": "若至多可整列遮蔽 {rate:%} 而非 {before:%}，未找到更好的。",
}
