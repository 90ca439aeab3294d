import type { FieldChange, RegisteredWrite, WriteView } from "@toolbus/contracts";
import { wrapped, WIDTH } from "../terminal/lines.ts";

/** Returns the lines for a write whose texts are already safe: the enabled definition, and each registered definition with its changes. */
export function writeLines({ tool, enabled, damaged, registered }: WriteView): string[] {
  return [
    `${tool}`,
    ...(enabled
      ? [
          `enabled   version ${enabled.version} of ${enabled.toolset}${enabled.enabled ? "" : ", switched off"}, by ${enabled.pinnedBy}`,
          `          tier ${enabled.tier}; its own is ${enabled.definition.risk.tier}`,
          `          ${enabled.hash}`,
        ]
      : [
          damaged === null
            ? "enabled   nothing: its calls are refused"
            : `enabled   nothing: the stored definition is not what approvals stored (${damaged})`,
        ]),
    ...(registered.length === 0 ? ["", "No worker registers it now."] : []),
    ...registered.flatMap((one) => ["", ...registeredLines(one, enabled !== null)]),
  ].flatMap((line) => wrapped(line, WIDTH));
}

/** Returns the lines for a registered definition: the whole definition if nothing was enabled before, otherwise the difference. */
export function registeredLines(one: RegisteredWrite, compared: boolean): string[] {
  const { definition, changes, quarantined } = one;
  const differs = compared && changes.length > 0;
  return [
    `${one.tool}@${one.version} of ${one.toolset}: ${quarantined ? "quarantined" : one.state}${one.granted ? "" : ", gets no grants"}`,
    ...(quarantined
      ? [`refused   at ${quarantined.pointer}: ${quarantined.reason}`, "          Nobody can enable it, and no call of it is executed."]
      : []),
    ...(one.warnings ?? []).map((warning) => `! ${warning}`),
    ...(one.weaker === null ? [] : [`guards    less: ${one.weaker}`]),
    `receipts  ${one.receiptKeys.length === 0 ? "no key is known" : one.receiptKeys.join(", ")}${one.receiptKeysFrom === "registration" ? " (its worker says so)" : ""}`,
    `hash      ${one.hash}`,
    ...(differs ? ["changes", ...changes.flatMap(changeLines)] : []),
    ...(compared ? [] : definitionLines(definition)),
  ];
}

function definitionLines({ risk, idempotency, scopes = [], effect, description }: RegisteredWrite["definition"]): string[] {
  return [
    `tier      ${risk.tier}${(risk.rules ?? []).map((rule) => `; ${rule.tier} for ${rule.reason}`).join("")}`,
    `repeats   ${idempotency.mode}`,
    `scopes    ${scopes.length === 0 ? "none" : scopes.join(", ")}`,
    ...(effect === undefined ? [] : [`effect    ${effect}`]),
    `does      ${description.split("\n")[0] ?? ""}`,
  ];
}

function changeLines({ path, from, to }: FieldChange): string[] {
  return [`  ${path}`, ...(from === undefined ? [] : [`    - ${shown(from)}`]), ...(to === undefined ? [] : [`    + ${shown(to)}`])];
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
