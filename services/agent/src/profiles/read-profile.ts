import { parseProfileFile, type Problem, type ProfileFile } from "@toolbus/contracts";
import { type FileFault, readYaml } from "@toolbus/runtime/yaml-text";
import type { Profile, ProfileModel, ReportRule } from "../profile.ts";
import { fileFaults } from "./file-faults.ts";
import { toolRule } from "./tool-rule.ts";

export type ReadProfile = { readonly ok: true; readonly profile: Profile } | { readonly ok: false; readonly faults: readonly FileFault[] };

const DEFAULT_MAX_TOOLS = 12;
const DEFAULT_MAX_TOKENS = 4096;

/**
 * Reads a profile from YAML text. An unknown field, a duplicate key, a second document or a tag is a fault. Returns every fault with its line, in
 * words for the author of the file.
 */
export function readProfile(text: string): ReadProfile {
  const read = readYaml(text);
  if (!read.ok) return read;
  const parsed = parseProfileFile(read.value);
  const problems = parsed.ok ? disagreements(parsed.value) : parsed.problems;
  if (!parsed.ok || problems.length > 0) return { ok: false, faults: fileFaults(problems, read.lineOf) };
  return { ok: true, profile: profileOf(parsed.value) };
}

/** Returns the problems that the schema cannot express: fields that need or exclude one another, and names that are not among the profile's tools. */
function disagreements({ tools, seedCalls = [], report, toolChoice }: ProfileFile): readonly Problem[] {
  const problems: Problem[] = [];
  if (report?.kind === "filing" && report.tool === undefined)
    problems.push({ path: "/report", message: "needs tool, the write that files it" });
  if (report?.kind === "conclusion") {
    for (const field of ["tool", "severityArgument", "findingsArgument", "reportIdField"] as const)
      if (report[field] !== undefined) problems.push({ path: `/report/${field}`, message: "belongs to a report of the kind filing" });
  }
  const named = namedTools(tools);
  if (!named) return problems;
  const uses: readonly (readonly [string, string | undefined])[] = [
    ...seedCalls.map(({ tool }, n) => [`/seedCalls/${n}/tool`, tool] as const),
    ["/report/tool", report?.tool],
    ["/toolChoice", toolChoice?.startsWith("tool:") ? toolChoice.slice("tool:".length) : undefined],
  ];
  for (const [path, tool] of uses)
    if (tool !== undefined && !named.has(tool)) problems.push({ path, message: `names "${tool}", which is not among tools` });
  return problems;
}

/** Returns the names of the profile's tools, or null if the registry decides. */
function namedTools(tools: ProfileFile["tools"]): ReadonlySet<string> | null {
  if (tools === "all") return null;
  const rules = tools.map(toolRule);
  return rules.every((rule) => rule.by === "name") ? new Set(rules.map((rule) => (rule.by === "name" ? rule.name : ""))) : null;
}

function profileOf(file: ProfileFile): Profile {
  const { name, description, systemPrompt, tools, limits, toolChoice = "auto", seedCalls = [], askUser = false } = file;
  return {
    name,
    description,
    systemPrompt: systemPrompt.trimEnd(),
    tools,
    limits: {
      maxRounds: limits.rounds,
      activeMs: limits.activeSeconds * 1000,
      maxTools: limits.maxTools ?? DEFAULT_MAX_TOOLS,
      maxTokens: limits.maxTokens ?? DEFAULT_MAX_TOKENS,
      ...(limits.noWorkerSeconds === undefined ? {} : { noWorkerMs: limits.noWorkerSeconds * 1000 }),
      ...(limits.resultChars === undefined ? {} : { resultChars: limits.resultChars }),
      ...(limits.budget ? { budget: limits.budget } : {}),
    },
    model: modelOf(file),
    ...(file.context === undefined ? {} : { context: file.context }),
    toolChoice,
    ...(file.workingMemory === undefined ? {} : { workingMemory: file.workingMemory }),
    ...(file.parallelCalls === undefined ? {} : { parallelCalls: file.parallelCalls }),
    ...(file.temperature === undefined ? {} : { temperature: file.temperature }),
    seedCalls: seedCalls.map(({ tool, argumentsFromInput = {}, when }) => ({
      tool,
      argumentsFromInput,
      ...(when === undefined ? {} : { when }),
    })),
    report: reportOf(file),
    askUser,
    continueAfterFailedWrite: file.continueAfterFailedWrite ?? false,
  };
}

function modelOf({ model }: ProfileFile): ProfileModel | null {
  return model ? { provider: model.provider ?? null, name: model.name ?? null } : null;
}

function reportOf({ report }: ProfileFile): ReportRule | null {
  if (!report) return null;
  const {
    kind,
    subjectFromInput,
    orSubjectFromInput,
    tool = "",
    severityArgument = "severity",
    findingsArgument = "findings",
    reportIdField = "report_id",
  } = report;
  const subject = { subjectFromInput, ...(orSubjectFromInput === undefined ? {} : { orSubjectFromInput }) };
  return kind === "conclusion" ? { kind, ...subject } : { kind, ...subject, tool, severityArgument, findingsArgument, reportIdField };
}
