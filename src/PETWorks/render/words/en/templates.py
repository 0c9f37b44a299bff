"""What each template is for."""

TEMPLATES = {
    "cms-11": "Tables of United States Medicare and Medicaid data: no cell of 1 to 10 people.",
    "ema-0070": "Clinical reports for publication by the European Medicines Agency.",
    "hipaa-expert": "United States health data, by expert determination.",
    "hipaa-safe-harbor": "United States health data, with eighteen kinds of identifiers removed.",
    "ipc-ontario-2025": "Structured data in Ontario: group sizes by how far a disclosure invades privacy.",
    "tw-public": "Public release in Taiwan: the attempt is certain, R is yours to state.",
    "tw-research": "Release to researchers in Taiwan: R, T1 (insider) and T2 (breach) are yours to state.",
    "wp216": "Singling out, linkability and inference, the three criteria of the European opinion.",
}
