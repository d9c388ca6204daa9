"""Grading chains of reasoning: errors of premises, classes of conclusion, and the judge's record.

Chains are told apart by code, labelled by a judge (a model, people, the exact checker), and
scored by code. No judged figure stands without its judge's record on chains held out from the
judge's design. SPEC, section 3; Mishra et al., arXiv 2502.05675.
"""

from decidendi.grading._answers import Answer, AnswersRecord, answers_record, read_answers
from decidendi.grading._attack import (
    UnderAttack,
    attack,
    attack_set,
    attack_to,
    framings,
    under_attack,
    under_attack_json,
)
from decidendi.grading._chain import Chain, Premises
from decidendi.grading._civpro import answered, question_line, read_civpro
from decidendi.grading._compare import FirstErrors
from decidendi.grading._draft import PRESENTATIONS, Presentation
from decidendi.grading._exact import ExactChecker
from decidendi.grading._files import (
    Refused,
    chain_line,
    chain_schema,
    labels_line,
    labels_schema,
    read_chains,
    read_labels,
)
from decidendi.grading._import import FORMATS, Imported, import_steps, write_imported
from decidendi.grading._judge import ErrorRates, Judge, JudgeIdentity, ScriptedJudge
from decidendi.grading._judge_choice import JudgeChoice, close_judge, judge_for
from decidendi.grading._judges import JudgesDiffer, TwoJudges, is_grading, two_judges
from decidendi.grading._labels import (
    SOUND,
    WRONG,
    Content,
    Finding,
    Labels,
    Marks,
    Partly,
    up_to_first_error,
)
from decidendi.grading._law import LawProblem, law_problem, problem_of_case
from decidendi.grading._measures import Graded, Measures, measure, pair_up
from decidendi.grading._mitigate import Mitigated, mitigate
from decidendi.grading._mitigate_choice import MitigationChoice, run_mitigation
from decidendi.grading._mitigate_measures import Against, Figures
from decidendi.grading._mitigate_prompts import Condition, conditions, feedback_text
from decidendi.grading._mitigate_questions import Posed, QuestionSet, questions_of
from decidendi.grading._mitigate_scripted import Effects, ScriptedSolver
from decidendi.grading._model_judge import DETECTORS, ModelJudge
from decidendi.grading._model_judge_desk import Answering, Spent
from decidendi.grading._model_judge_scripted import Manners, ScriptedModel
from decidendi.grading._option import content_matches, option_spec
from decidendi.grading._page import write_page
from decidendi.grading._pairwise import PositionBias, Preference, position_bias, read_pairwise
from decidendi.grading._people import PeopleAgreement, consensus
from decidendi.grading._plant import (
    DIFFICULTIES,
    MAKERS,
    PLANTED,
    Planted,
    plant,
    plant_set,
    plant_to,
)
from decidendi.grading._records import (
    StoredRecord,
    append_record,
    read_records,
    validation_json,
)
from decidendi.grading._referee import PeoplesGap, Referee, outcome_of, referee
from decidendi.grading._run_summary import CAVEAT, MADE_UP, RunSummary, summarise, write_summary
from decidendi.grading._runs import GradingRun, grade_to, load_run, write_run
from decidendi.grading._score import Score, accuracy_of, conclusion_class, score
from decidendi.grading._segment import MOST, Segmented, segment
from decidendi.grading._sources import chains_from
from decidendi.grading._taxonomy import (
    UNSPECIFIED,
    Entry,
    Taxonomy,
    kind_of,
    load_taxonomy,
    taxonomy,
    taxonomy_schema,
)
from decidendi.grading._validate import Validation, keep_apart, validate
from decidendi.grading._wrong_steps import Difficulty

__all__ = [
    # chains
    "Chain",
    "Premises",
    "segment",
    "Segmented",
    "MOST",
    "option_spec",
    "content_matches",
    # what can be wrong with them
    "Taxonomy",
    "Entry",
    "taxonomy",
    "load_taxonomy",
    "kind_of",
    "UNSPECIFIED",
    # labels of one source
    "Labels",
    "Finding",
    "Marks",
    "Partly",
    "Content",
    "SOUND",
    "WRONG",
    "up_to_first_error",
    # scores and rates, by code
    "score",
    "Score",
    "accuracy_of",
    "conclusion_class",
    "measure",
    "Measures",
    "Graded",
    "pair_up",
    # judges
    "Judge",
    "JudgeIdentity",
    "ExactChecker",
    "ScriptedJudge",
    "ErrorRates",
    "ModelJudge",
    "DETECTORS",
    "Answering",
    "ScriptedModel",
    "Manners",
    "JudgeChoice",
    "judge_for",
    "close_judge",
    # runs, and a judge against people
    "GradingRun",
    "grade_to",
    "write_run",
    "load_run",
    "MADE_UP",
    "summarise",
    "write_summary",
    "RunSummary",
    "Spent",
    "CAVEAT",
    "validate",
    "Validation",
    "FirstErrors",
    "PeopleAgreement",
    "consensus",
    "keep_apart",
    "append_record",
    "read_records",
    "StoredRecord",
    "validation_json",
    "write_page",
    "referee",
    "Referee",
    "PeoplesGap",
    "outcome_of",
    # two judges on the same chains
    "two_judges",
    "TwoJudges",
    "JudgesDiffer",
    "is_grading",
    # planted errors
    "plant",
    "plant_set",
    "plant_to",
    "Planted",
    "PLANTED",
    "MAKERS",
    "Difficulty",
    "DIFFICULTIES",
    "Presentation",
    "PRESENTATIONS",
    "LawProblem",
    "law_problem",
    "problem_of_case",
    # chains that talk to their judge
    "framings",
    "attack",
    "attack_set",
    "attack_to",
    "under_attack",
    "UnderAttack",
    "under_attack_json",
    # strategies against zero-shot chain of thought
    "mitigate",
    "Mitigated",
    "run_mitigation",
    "MitigationChoice",
    "Condition",
    "conditions",
    "feedback_text",
    "Figures",
    "Against",
    "Posed",
    "QuestionSet",
    "questions_of",
    "ScriptedSolver",
    "Effects",
    # public sets
    "import_steps",
    "write_imported",
    "Imported",
    "FORMATS",
    "read_civpro",
    "question_line",
    "answered",
    "read_pairwise",
    "Preference",
    "position_bias",
    "PositionBias",
    "read_answers",
    "Answer",
    "answers_record",
    "AnswersRecord",
    # files, and what models wrote elsewhere
    "chains_from",
    "read_chains",
    "read_labels",
    "Refused",
    "chain_line",
    "labels_line",
    "chain_schema",
    "labels_schema",
    "taxonomy_schema",
]
