"""What each template is for."""

TEMPLATES = {
    "cms-11": "美國 Medicare 與 Medicaid 資料的統計表：不得有 1 至 10 人的儲存格。",
    "ema-0070": "由歐洲藥品管理局發布的臨床報告。",
    "hipaa-expert": "美國健康資料，採專家認定。",
    "hipaa-safe-harbor": "美國健康資料，移除十八類識別資訊。",
    "ipc-ontario-2025": "加拿大安大略省的結構化資料：依揭露對隱私的侵害程度決定群體大小。",
    "tw-public": "臺灣的公開發布：必然有人嘗試，R 由您填寫。",
    "tw-research": "臺灣提供研究使用：R、T1（內部人員）、T2（外洩）由您填寫。",
    "wp216": "歐盟意見書的三項準則：挑出、連結、推論。",
}
