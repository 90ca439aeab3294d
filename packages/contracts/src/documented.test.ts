import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as contracts from "./index.ts";

type Row = readonly string[];

describe("docs/errors.md", () => {
  const [toolErrors, names, problems] = tablesOf("errors.md");

  it("lists exactly the codes of tool errors, with their values", () => {
    const rows = Object.entries(contracts.toolErrors).map(([code, row]) => [
      code,
      row.class,
      row.wireCode,
      row.status,
      row.retryable ? "yes" : "no",
    ]);
    expect(lines(toolErrors, 5)).toEqual(lines(rows));
  });

  it("gives each wire code its name", () => {
    const pairs = new Map(Object.values(contracts.toolErrors).map((row) => [row.wireCode, row.name]));
    expect(lines(names)).toEqual(lines([...pairs]));
  });

  it("lists exactly the codes of problems, with their status", () => {
    const rows = Object.entries(contracts.problemCodes).map(([code, status]) => [code, String(status)]);
    expect(lines(problems, 2)).toEqual(lines(rows));
  });

  it("says for every code what it means and what to do", () => {
    const sentences = [...(toolErrors ?? []), ...(problems ?? [])].flatMap((row) => row.slice(-2));
    expect(sentences.filter((sentence) => !/^[A-Z].+\.$/.test(sentence))).toEqual([]);
  });
});

describe("docs/messages.md", () => {
  const [topics, bodies, attributes] = tablesOf("messages.md");

  it("lists exactly the topics", () => {
    const names = Object.values(contracts.topics).map((topic) => (typeof topic === "string" ? topic : topic("<x>")));
    expect(topics?.map(([topic = ""]) => topic.replace(/<\w+>/, "<x>")).toSorted()).toEqual(names.toSorted());
  });

  it("lists exactly the queues that can have dead letters", () => {
    const queues = topics?.flatMap(([topic = "", kind]) => (kind === "queue" && !topic.startsWith("dead.") ? [topic] : []));
    expect(queues?.toSorted()).toEqual(contracts.queuesOf({ agents: ["<agent>"], toolsets: ["<toolset>"] }).toSorted());
  });

  it("names every message type at a topic, and lists its body", () => {
    const types = Object.values(contracts.messageTypes).toSorted();
    const atTopics = topics?.flatMap((row) => [...(row[4] ?? "").matchAll(/toolbus\.[a-z_.]+/g)].map(([type]) => type));
    expect(atTopics?.toSorted()).toEqual(types);
    expect(bodies?.map(([type]) => type).toSorted()).toEqual(types);
  });

  it.each([
    ["runWake", contracts.RunWake],
    ["approvalRequest", contracts.ApprovalRequest],
    ["approvalCancel", contracts.ApprovalCancel],
    ["approvalRollback", contracts.ApprovalRollback],
    ["approvalHeld", contracts.ApprovalHeld],
    ["approvalDecided", contracts.ApprovalDecided],
    ["toolInvoke", contracts.ToolInvoke],
    ["toolResult", contracts.ToolResponse],
    ["toolError", contracts.ToolFailure],
    ["grantStale", contracts.ToolFailure],
    ["toolCancel", contracts.ToolCancel],
    ["toolProgress", contracts.ToolProgress],
    ["toolAnnounce", contracts.ToolAnnounce],
    ["toolRefresh", contracts.ToolRefresh],
    ["mcpServersIndexed", contracts.McpServersIndexed],
    ["mcpMetadataRefresh", contracts.McpMetadataRefresh],
    ["operationsReplay", contracts.OperationsReplay],
    ["deadLetter", contracts.DeadLetter],
  ] as const)("lists the fields of %s", (name, { properties, required }) => {
    const must: readonly string[] = required ?? [];
    const fields = Object.keys(properties).map((field) => (must.includes(field) ? field : `${field}?`));
    expect(bodies?.find(([type]) => type === contracts.messageTypes[name])?.[1]).toBe(fields.join(" "));
  });

  it("lists exactly the attributes", () => {
    expect(attributes?.map(([name]) => name).toSorted()).toEqual(Object.values(contracts.attributes).toSorted());
  });
});

/** Returns the first cells of each row as one text per row, in alphabetical order. */
function lines(rows: readonly Row[] | undefined, cells?: number): readonly string[] {
  return (rows ?? []).map((row) => row.slice(0, cells).join(" | ")).toSorted();
}

/** Returns the tables of a page in order, without their head rows. The cells have no backticks. */
function tablesOf(page: string): readonly (readonly Row[])[] {
  const text = readFileSync(path.join(import.meta.dirname, "../../../docs", page), "utf8");
  return text
    .split(/\n\n+/)
    .filter((block) => block.startsWith("| "))
    .map((block) => block.trim().split("\n").slice(2).map(cellsOf));
}

function cellsOf(line: string): Row {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1"));
}
