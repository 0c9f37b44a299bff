"""What each measure asks for, as one sentence with the number of the person who asks."""

ASKED: dict[str, str] = {
    "requirements_asks_AlphaKAnonymity_alpha": "No sensitive value makes up more than {alpha} of any class.",
    "requirements_asks_AlphaKAnonymity_k": "Every class has at least {k} people.",
    "requirements_asks_BetaLikeness_beta": "In no class does the share of a sensitive value grow by more than {beta}"
    " times its share in the whole table.",
    "requirements_asks_DeltaDisclosure_delta": "In every class, the share of a sensitive value is less than 2 to the"
    " power of {delta} times larger or smaller than in the whole table.",
    "requirements_asks_DeltaPresence_d_min": "Somebody of the population is in the table with a chance of at least"
    " {d_min}.",
    "requirements_asks_DeltaPresence_d_max": "Somebody of the population is in the table with a chance of at most"
    " {d_max}.",
    "requirements_asks_KAnonymity_k": "Everyone looks like others: at least {k} people share all quasi-identifiers.",
    "requirements_asks_KMap_k": "At least {k} people of the population look like anybody in the table.",
    "requirements_asks_LDiversity_l": "Every class has at least {l} different sensitive values.",
    "requirements_asks_LDiversity_c": "In every class, the most frequent sensitive value occurs less than {c} times"
    " as often as the rarer ones together.",
    "requirements_asks_PSensitiveKAnonymity_p": "Every class has at least {p} different sensitive values.",
    "requirements_asks_PSensitiveKAnonymity_k": "Every class has at least {k} people.",
    "requirements_asks_Profitability": "Publishing each row pays, even if somebody attacks it.",
    "requirements_asks_TCloseness_t": "No class differs from the whole table in its sensitive values by more than"
    " {t}: 0 is alike, 1 as far as can be.",
    "requirements_asks_ContextRisk_limit": "With attempts as likely as stated, somebody is found with a chance of at"
    " most {limit}.",
    "requirements_asks_IndividualRisk_highest": "Nobody is found in the population with a chance above {highest}.",
    "requirements_asks_IndividualRisk_expected": "At most {expected} people are expected to be found in the"
    " population.",
    "requirements_asks_IndividualRisk_average": "People are found in the population with a chance of at most"
    " {average} on average.",
    "requirements_asks_PopulationUniqueness_at_most": "At most {at_most} of the people in the population are like"
    " nobody else.",
    "requirements_asks_ReidentificationRisk_highest": "Nobody is picked out with a chance above {highest}.",
    "requirements_asks_ReidentificationRisk_average": "Picking the right person succeeds with a chance of at most"
    " {average} on average.",
    "requirements_asks_ReidentificationRisk_above": "At most {above} of the people have a risk above {threshold}.",
    "requirements_asks_SampleUniqueness_at_most": "At most {at_most} of the people are like nobody else in the table.",
    "requirements_asks_SpecialUniques_highest": "Nobody stands out by few columns so that a match is right with a"
    " chance above {highest}.",
    "requirements_asks_Shares_at_most": "At most {at_most} of the rows are suppressed.",
    "requirements_asks_at_least": "At least {at_least} of it is left: 1 is the original, 0 is nothing.",
    "requirements_asks_other": "{measured}: {side} {limit}.",
    "requirements_word_prosecutor": "prosecutor: knows who is in the table",
    "requirements_word_journalist": "journalist: does not know who is in the table",
    "requirements_word_marketer": "marketer: tries everybody",
    "requirements_word_highest": "highest",
    "requirements_word_average": "average",
    "requirements_word_auto": "as the data suggest",
    "requirements_word_apart": "each by itself",
    "requirements_word_join": "join the quasi-identifiers",
    "requirements_word_count": "count",
    "requirements_word_skip": "do not count",
    "requirements_word_any": "any attempt succeeds",
    "requirements_word_largest": "the likeliest attempt",
    "requirements_word_value": "a value like others",
    "requirements_word_unknown": "nobody knows it",
    "requirements_word_individual": "individual: by the sampling weights",
    "requirements_name_alpha": "α",
    "requirements_name_beta": "β",
    "requirements_name_delta": "δ",
    "requirements_name_d_min": "lowest δ",
    "requirements_name_d_max": "highest δ",
    "requirements_name_limit": "chance",
    "requirements_name_above": "people at risk",
    "requirements_name_max_bias": "bias",
}
