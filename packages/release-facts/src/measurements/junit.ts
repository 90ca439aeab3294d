import { XMLParser } from "fast-xml-parser";
import { line } from "../clean-text.ts";
import { readBounded } from "./bounded-file.ts";
import { casesInOrder, type TestCase } from "./test-case.ts";

/** The results of one set of tests. An error counts as a failure. `failures` has the first 50 of them. */
export interface TestResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  readonly name: string;
  readonly suite: string;
  /** The text has at most 300 characters. */
  readonly message: string;
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FAILURES = 50;
const MAX_TEXT = 300;

/** The results of a file with test results: the totals for the summary, and the cases. */
export interface TestRun {
  readonly tests: TestResults;
  readonly cases: readonly TestCase[];
}

/** Reads a JUnit XML file of at most 32 MiB and counts its test cases. Any other file is refused with one sentence. */
export async function readJunit(
  file: string,
): Promise<({ readonly ok: true } & TestRun) | { readonly ok: false; readonly message: string }> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  if (declaresEntities(read.text)) return { ok: false, message: `${file} declares XML entities, which are not read.` };

  let document: unknown;
  try {
    document = parser.parse(read.text, true);
  } catch {
    return { ok: false, message: `${file} is not well-formed XML.` };
  }
  if (!isElement(document) || !("testsuites" in document || "testsuite" in document)) {
    return { ok: false, message: `${file} is XML but holds no JUnit test suite.` };
  }
  const { tests, cases } = count([...childrenOf(document, "testsuites"), document]);
  // Zero tests with zero failures would look as if all tests had passed.
  if (tests.passed + tests.failed + tests.skipped === 0) return { ok: false, message: `${file} holds no test case.` };
  return { ok: true, tests, cases: casesInOrder(cases) };
}

// The parser does not expand entities. `plain` decodes the few predefined entities of XML, and only in the text that is reported.
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && REPEATED.has(name),
});

const REPEATED = new Set(["testsuites", "testsuite", "testcase", "failure", "error", "skipped"]);

// Returns whether the file declares entities. Entities can be declared only before the first suite. A later text may contain anything.
function declaresEntities(text: string): boolean {
  const root = text.indexOf("<testsuite");
  return text.slice(0, root < 0 ? text.length : root).includes("<!ENTITY");
}

type Element = Readonly<Record<string, unknown>>;

function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null;
}

function count(roots: readonly Element[]): TestRun {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const failures: TestFailure[] = [];
  const cases: TestCase[] = [];
  const fail = (failure: TestFailure, of?: Element) => {
    totals.failed++;
    if (failures.length < MAX_FAILURES) failures.push(failure);
    cases.push({ status: "failed", ...caseOf(failure.suite, failure.name, of), message: line(failure.message, MAX_TEXT) });
  };
  const suites = roots.flatMap((root) => childrenOf(root, "testsuite"));
  // The loop also visits the suites that it adds, because suites may contain suites.
  for (const suite of suites) {
    const name = attribute(suite, "name");
    // A fault on the suite itself means that the suite failed before its first test.
    for (const fault of faultsOf(suite)) fail({ name: name || "(suite)", suite: name, message: messageOf(fault) });
    for (const test of childrenOf(suite, "testcase")) {
      const [fault] = faultsOf(test);
      if (fault !== undefined)
        fail({ name: attribute(test, "name"), suite: name || attribute(test, "classname"), message: messageOf(fault) }, test);
      else {
        const status = "skipped" in test || NOT_RUN.has(attribute(test, "status")) ? "skipped" : "passed";
        totals[status]++;
        cases.push({ status, ...caseOf(name || attribute(test, "classname"), attribute(test, "name"), test) });
      }
    }
    for (const inner of childrenOf(suite, "testsuite")) suites.push(inner);
  }
  return { tests: { ...totals, failures }, cases };
}

function caseOf(suite: string, name: string, element: Element | undefined): Omit<TestCase, "status"> {
  const file = element === undefined ? "" : line(attribute(element, "file"), MAX_TEXT);
  const seconds = element === undefined ? "" : attribute(element, "time");
  return {
    suite: line(suite, MAX_TEXT),
    name: line(name, MAX_TEXT),
    ...(file === "" ? {} : { file }),
    ...(/^\d{1,7}(?:\.\d{1,12})?$/.test(seconds) ? { seconds: Number(seconds) } : {}),
  };
}

const NOT_RUN = new Set(["notrun", "disabled", "skipped"]);

function childrenOf(element: Element, name: string): readonly Element[] {
  const children = element[name];
  // The parser represents an element without attributes and children as its text.
  return Array.isArray(children) ? children.map((child: unknown) => (isElement(child) ? child : { "#text": child })) : [];
}

function faultsOf(element: Element): readonly Element[] {
  return [...childrenOf(element, "failure"), ...childrenOf(element, "error")];
}

function messageOf(fault: Element): string {
  return attribute(fault, "message") || plain(fault["#text"]) || attribute(fault, "type") || "(no message)";
}

function attribute(element: Element, name: string): string {
  return plain(element[`@${name}`]);
}

/** Returns bounded text with XML's own character references decoded, each exactly once. */
function plain(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .slice(0, 4 * MAX_TEXT)
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/giu, (whole, decimal, hex, named) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
      if (code === undefined) return NAMED[String(named).toLowerCase()] ?? whole;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .trim()
    .slice(0, MAX_TEXT);
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
