import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJunit } from "./junit.ts";
import { scratchFolder } from "../testing/index.ts";

async function read(content: string | Uint8Array) {
  using folder = scratchFolder();
  const file = join(folder.path, "junit.xml");
  writeFileSync(file, content);
  return await readJunit(file);
}

describe("junit results", () => {
  it("counts the cases of nested suites, errors as failures", async () => {
    const read1 = await read(`<?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="99">
        <testsuite name="payments">
          <testcase name="charges"/>
          <testcase name="refunds"><failure message="expected &lt;1&gt; &amp;amp; got &quot;2&quot;&#10;end" type="AssertionError">stack</failure></testcase>
          <testsuite name="payments / cards">
            <testcase name="expired"><error>Timed out<![CDATA[ <after> 5 s]]></error></testcase>
            <testcase name="later"><skipped/></testcase>
          </testsuite>
        </testsuite>
        <testsuite name="bus"><testcase name="drains"><system-out>noise</system-out></testcase><testcase name="old" status="notrun"/></testsuite>
      </testsuites>`);
    expect(read1).toMatchObject({
      ok: true,
      tests: {
        passed: 2,
        failed: 2,
        skipped: 2,
        failures: [
          { name: "refunds", suite: "payments", message: 'expected <1> &amp; got "2"\nend' },
          { name: "expired", suite: "payments / cards", message: "Timed out <after> 5 s" },
        ],
      },
    });
  });

  it("reads a file whose root is one suite, with a byte order mark", async () => {
    expect(await read('\uFEFF<testsuite><testcase classname="a.B" name="c"><failure/></testcase></testsuite>')).toMatchObject({
      tests: { passed: 0, failed: 1, failures: [{ name: "c", suite: "a.B", message: "(no message)" }] },
    });
  });

  it("counts a suite that broke before its first test", async () => {
    expect(await read('<testsuite name="setup"><error message="no database"/><testcase name="a"/></testsuite>')).toMatchObject({
      tests: { passed: 1, failed: 1, failures: [{ name: "setup", suite: "setup", message: "no database" }] },
    });
  });

  it("keeps the first 50 failures with 300 characters each, and counts the rest", async () => {
    const failing = `<testcase name="t"><failure message="${"m".repeat(2_000)}"/></testcase>`;
    const outcome = await read(`<testsuite name="s">${failing.repeat(60)}</testsuite>`);
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.tests.failed).toBe(60);
    expect(outcome.tests.failures).toHaveLength(50);
    expect(outcome.tests.failures[0]?.message).toHaveLength(300);
  });

  it.each([
    ["text", "hello", "is not well-formed XML."],
    ["nothing", "", "is not well-formed XML."],
    ["JSON", '{"tests":1}', "is not well-formed XML."],
    ["half a file", "<testsuites><testsuite><testcase", "is not well-formed XML."],
    ["binary data", new Uint8Array([0, 255, 3, 4]), "is not well-formed XML."],
    ["a web page", "<html><body/></html>", "is XML but holds no JUnit test suite."],
    ["a run without tests", '<testsuites tests="3"><testsuite name="a"/></testsuites>', "holds no test case."],
    ["ten thousand levels", "<testsuite>".repeat(10_000) + "</testsuite>".repeat(10_000), "is not well-formed XML."],
    [
      "an entity bomb",
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`,
      "declares XML entities, which are not read.",
    ],
  ])("refuses %s in one sentence", async (_what, content, sentence) => {
    const outcome = await read(content);
    expect(outcome).toEqual({ ok: false, message: expect.stringMatching(/^\S+junit\.xml [^\n]+\.$/) });
    expect(outcome).toMatchObject({ message: expect.stringContaining(sentence) });
  });

  it("refuses a missing file, a folder and a file above 32 MiB", async () => {
    using folder = scratchFolder();
    expect(await readJunit(join(folder.path, "none.xml"))).toMatchObject({
      message: expect.stringMatching(/none\.xml cannot be read: there is no such file\.$/),
    });
    expect(await readJunit(folder.path)).toMatchObject({ message: expect.stringMatching(/it is not a file\.$/) });
    expect(await read(new Uint8Array(32 * 1024 * 1024 + 1))).toMatchObject({
      message: expect.stringContaining("at most 33554432 are read."),
    });
  });
});
