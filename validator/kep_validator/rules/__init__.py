"""Rules that check a KEP; each is one class with a frozen meta.

ALL_RULES is the explicit list of what runs, in the order of the codes. A test fails when a rule
class is not in it.
"""

from __future__ import annotations

from kep_validator.diagnostics import Severity
from kep_validator.rules import (
    input_files,
    input_yaml,
    lifecycle_milestones,
    lifecycle_status,
    metadata_dates,
    metadata_identity,
    metadata_milestone,
    metadata_names,
    metadata_people,
    metadata_template,
    placeholders,
    placeholders_comments,
    prod_readiness,
    prr_questions,
    prr_questions_answers,
    schema_findings,
    sections_content,
    sections_missing,
    sections_order,
    sections_title,
    toc_block,
)
from kep_validator.rules.base import Rule, RuleMeta

ALL_RULES: tuple[Rule, ...] = (
    input_files.NotUtf8(),
    input_yaml.BrokenYaml(),
    input_yaml.DuplicateKey(),
    input_yaml.NoMapping(),
    input_yaml.LineTooLong(),
    input_yaml.StraySeparator(),
    input_files.MetadataMissing(),
    input_files.ReadmeMissing(),
    input_files.UnreadableFile(),
    input_files.ControlCharacter(),
    input_yaml.SecondDocument(),
    metadata_names.StatusUnknown(),
    metadata_names.StageUnknown(),
    metadata_names.OwningSigUnknown(),
    metadata_names.ParticipatingSigUnknown(),
    metadata_milestone.LatestMilestoneMissing(),
    metadata_milestone.StageMissing(),
    metadata_milestone.LatestMilestoneInvalid(),
    metadata_milestone.LatestMilestoneForm(),
    metadata_people.NobodyNamed(),
    metadata_people.PersonToBeDecided(),
    metadata_people.HandleForm(),
    metadata_dates.ImpossibleDate(),
    metadata_dates.UpdatedBeforeCreated(),
    metadata_dates.CreationDateMissing(),
    metadata_identity.NumberInDirectory(),
    metadata_identity.SigInDirectory(),
    metadata_identity.NumberForm(),
    metadata_identity.TitleSaysNothing(),
    metadata_template.TemplateValue(),
    metadata_template.GateIncomplete(),
    metadata_template.GateName(),
    sections_missing.SectionMissing(),
    sections_content.SectionEmpty(),
    sections_content.SectionTemplateText(),
    sections_order.SectionDuplicate(),
    sections_order.SectionOrder(),
    sections_title.TitleHeading(),
    sections_title.TitleNumber(),
    sections_content.SectionPutOff(),
    placeholders.PlaceholderLeft(),
    placeholders.AcknowledgementUnticked(),
    placeholders.ToBeDone(),
    placeholders.Unresolved(),
    placeholders_comments.InstructionsLeft(),
    placeholders_comments.NeverClosed(),
    toc_block.TocMissing(),
    toc_block.TocStale(),
    toc_block.TocUnlisted(),
    prr_questions.PrrQuestionMissing(),
    prr_questions.PrrAnswerEmpty(),
    prr_questions.PrrAnswerTemplateText(),
    prr_questions_answers.PrrFieldBlank(),
    prr_questions_answers.PrrNoReason(),
    prr_questions.PrrAnswerPutOff(),
    prr_questions_answers.PrrNoOption(),
    prod_readiness.ProdReadinessMissing(),
    prod_readiness.StageNotApproved(),
    prod_readiness.ApproverUnknown(),
    prod_readiness.ProdReadinessNumber(),
    lifecycle_milestones.StageMilestoneMissing(),
    lifecycle_milestones.StageMilestoneLater(),
    lifecycle_milestones.MilestonesOutOfOrder(),
    lifecycle_milestones.MilestoneForm(),
    lifecycle_status.ImplementedNotStable(),
    lifecycle_status.ReplacedWithoutSuccessor(),
    lifecycle_status.OtherRelease(),
    lifecycle_status.StableNotImplemented(),
    lifecycle_status.NoFeatureGate(),
    lifecycle_status.NoMetrics(),
)

INTERNAL_ERROR = RuleMeta(
    code="KEP900",
    name="internal-error",
    summary="Every rule runs to its end.",
    explanation="A rule of this tool failed: a fault of the tool, not of the KEP. The other rules "
    "ran. The exit code is 3; -v prints the traceback for a bug report.",
    source="kep-workbench",
    severity=Severity.ERROR,
)


def all_metas() -> tuple[RuleMeta, ...]:
    """Return what is known of each code that a report may carry, in the order of the codes."""
    metas = (*(rule.meta for rule in ALL_RULES), *schema_findings.METAS, INTERNAL_ERROR)
    return tuple(sorted(metas, key=lambda meta: meta.code))
