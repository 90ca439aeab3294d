import { isJsonObject, isSecretName, type ToolKind } from "@toolbus/contracts";
import type { DraftDefinition } from "../tool/tool.ts";
import { error, type Finding, warning } from "./finding.ts";
import { lintRules } from "./lint-rules.ts";

/** Checks the parts that guard a call: the effect that approvers read, the rules of its risk, and its time limit. */
export function lintGuards(definition: DraftDefinition): readonly Finding[] {
  return [...lintEffect(definition), ...lintRules(definition), ...lintTimeout(definition)];
}

function lintEffect({ kind, effect, parameters }: DraftDefinition): readonly Finding[] {
  if (effect === undefined)
    return kind === "write"
      ? [
          error(
            "effect_missing",
            "/effect",
            "The write does not say what it does.",
            'Give it an "effect", the sentence that its approver reads, such as "Refund {amount} EUR on {order}.".',
          ),
        ]
      : [];
  const { properties } = parameters;
  const known = isJsonObject(properties) ? properties : {};
  // A placeholder that names no argument would appear unchanged on the approver's card.
  return [...effect.matchAll(/\{([A-Za-z0-9_]+)\}/g)].flatMap(([, placeholder = ""]) =>
    Object.hasOwn(known, placeholder)
      ? isSecretName(placeholder)
        ? [
            warning(
              "effect_secret",
              "/effect",
              `The effect shows {${placeholder}}, whose name says that it is a secret.`,
              "Leave it out: the card hides the argument, but not the words of the effect.",
            ),
          ]
        : []
      : [
          error(
            "effect_unknown",
            "/effect",
            `The effect names {${placeholder}}, which is not a parameter of the tool.`,
            `Its parameters: ${Object.keys(known).slice(0, 16).join(", ") || "none"}.`,
          ),
        ],
  );
}

/** The longest time limit without a warning. A run has only minutes of active time for all of its calls, and a person waits for a long read. */
const LONGEST_MS: Readonly<Record<ToolKind, number>> = { read: 30_000, compute: 30_000, write: 120_000 };

function lintTimeout({ kind, timeoutMs }: DraftDefinition): readonly Finding[] {
  const longest = LONGEST_MS[kind];
  if (timeoutMs <= longest) return [];
  return [
    warning(
      "timeout_long",
      "/timeoutMs",
      `The ${kind} may take ${timeoutMs} ms.`,
      `Stay within ${longest} ms: return a job's id at once and add a read that looks at the job.`,
    ),
  ];
}
