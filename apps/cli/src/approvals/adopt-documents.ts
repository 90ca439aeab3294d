import type { RefusedDocument } from "@toolbus/contracts";
import { readRefused } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { keyboard } from "../terminal/keyboard.ts";
import { isTerminal } from "../terminal/confirm.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

export interface AdoptOptions {
  readonly yes?: true;
}

/**
 * Shows the documents in the store that approvals refuses. Asks approvals to seal each one that the operator confirms. With --json but without --yes,
 * the command only shows the documents.
 */
export async function adoptDocuments(context: Context, { yes }: AdoptOptions): Promise<ExitCode> {
  const { output } = context;
  const service = await context.approvals();
  const { documents } = readRefused(await service.get("/v1/refused"));
  const open = documents.filter(({ adoptable }) => adoptable);
  if (documents.length === 0) {
    if (output.json) output.document({ documents, adopted: [] });
    else output.note("Every document that approvals finds in the store is one that it stored.");
    return EXIT.ok;
  }
  if (!output.json) output.lines([...documents.flatMap((one) => [...documentLines(safeValue(one)), ""]), ...warning(documents)]);
  const ask = !yes && isTerminal(context) && !output.json;
  if (!yes && !ask && !output.json && open.length > 0)
    throw new Failure(
      EXIT.usage,
      `There is no terminal to ask at: check the list above, then repeat this with --yes to adopt ${open.length === 1 ? "it" : `all ${open.length}`}.`,
    );
  const chosen = yes ? open : ask ? await chosenOf(context, open) : [];
  const adopted = await adopt(service, chosen);
  if (output.json) output.document({ documents, adopted });
  else if (adopted.length > 0) output.lines(adopted.map((document) => safeText(`adopted ${document}`)));
  return EXIT.ok;
}

async function adopt(service: Client, chosen: readonly RefusedDocument[]): Promise<readonly string[]> {
  for (const { document, version } of chosen) await service.post("/v1/refused/adopt", { document, version });
  return chosen.map(({ document }) => document);
}

async function chosenOf({ around, signal }: Context, open: readonly RefusedDocument[]): Promise<readonly RefusedDocument[]> {
  const keys = keyboard({ input: around.stdin, output: around.stderr, onInterrupt: around.interrupts.press });
  const chosen: RefusedDocument[] = [];
  for (const one of open) {
    const answer = await keys.ask(`adopt ${safeText(one.document)}? y/N `, signal);
    if (answer === null) break;
    if (/^y(es)?$/i.test(answer.trim())) chosen.push(one);
  }
  return chosen;
}

function documentLines({ document, kind, why, detail, says, adoptable }: RefusedDocument): string[] {
  return [
    `${kind}  ${document}`,
    `  ${why}: ${detail}${adoptable ? "" : "; it is never adopted"}`,
    ...(says === null ? [] : Object.entries(says).flatMap(([name, value]) => wrapped(`  ${name}: ${shown(value)}`, WIDTH))),
  ];
}

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
const LONGEST = 600;

function warning(documents: readonly RefusedDocument[]): string[] {
  const lines = [
    "Versions before the seals wrote documents without one, and so does anybody else who can write to the store: adopt only documents that you can confirm from another source.",
    ...(documents.some(({ kind, why }) => kind === "era" && why !== "unsealed")
      ? [`To raise the era over a forged one: ${SELF} era raise --replace --reason "…"`]
      : []),
    ...(documents.some(({ kind, why }) => kind === "pin" && why !== "unsealed")
      ? [`To replace a forged pin with the registered definition: ${SELF} tools pending`]
      : []),
    ...(documents.some(({ kind }) => kind === "chain")
      ? [
          'Approvals does not extend a chain of the audit whose end it refuses. If you adopt the end, the chain continues after its last signed record, with a record of the break: docs/audit.md, "If the end of a chain is forged".',
        ]
      : []),
  ];
  return lines.flatMap((line) => wrapped(line, WIDTH));
}
