"""A policy to start from."""

STARTING: dict[str, str] = {
    "policy_head": "由 petworks init 檢視 {table} 後寫成。屬性型態與資料階層皆為建議：請逐項閱讀理由，並改正錯誤之處。",
    "policy_roles": "各欄位的屬性型態。直接識別屬性予以遮蔽；準識別屬性為他人可能得知者；"
    "敏感屬性不可被推知；非敏感屬性以上皆非。",
    "policy_yours": "由您決定。",
    "policy_open": "待您決定：請將下列欄位分別放入以上清單之一。",
    "policy_require": "資料表發布前須滿足的要求由您決定，例如：",
    "policy_template": "以下為範本的要求：供起草之用，並非合規聲明。",
    "policy_suppress": "至多可整列遮蔽的資料列比例，由您決定。",
    "ask_role": "{column}：1 直接識別、2 準識別、3 敏感、4 非敏感、0 稍後決定（Enter：{number}）",
    "ask_k": "至少須有幾人的準識別屬性完全相同（k）？（Enter：稍後決定）",
    "ask_again": "請輸入下列之一：{choices}",
    "wrote": "{file} 已寫入：{columns} 個欄位中，{roles} 個已有屬性型態；要求 {requirements} 項。",
    "left_roles": "尚待決定屬性型態：{names}",
    "left_hierarchies": "尚無資料階層，在您分組之前，只能保留原值或遮蔽：{names}",
    "left_requirements": "請至少加入一項 [[require]]。",
    "left_template": '請將每一處 "fill in" 換成您的決定：{keys}',
    "next": "接著：{command}",
}
