import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../testing/index.ts";
import { describe, expect, it } from "vitest";
import { readCoverage } from "./coverage.ts";

async function coverageOf(content: string) {
  using folder = scratchFolder();
  const file = join(folder.path, "coverage");
  writeFileSync(file, content);
  const read = await readCoverage(file);
  return read.ok ? read.coverage : read.message.replace(`${file} `, "");
}

const LCOV =
  "TN:\nSF:src/a.ts\nFN:1,f\nDA:1,5\nDA:2,0\nLF:2\nLH:1\nend_of_record\nSF:src/b.ts\nDA:1,1\nend_of_record\nSF:src/a.ts\nDA:2,1,abc\nDA:3,0\nend_of_record\n";
const COBERTURA = `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5"><packages><package name="src"><classes>
<class name="A" filename="src/a.ts"><methods/><lines><line number="1" hits="5"/><line number="2" hits="0"/></lines></class>
<class name="A.Inner" filename="src/a.ts"><lines><line number="2" hits="0"/><line number="3" hits="0"/></lines></class>
</classes></package></packages></coverage>`;

describe("a coverage file", () => {
  it("of lcov joins the records of each file, and the file with the most missed lines comes first", async () => {
    expect(await coverageOf(LCOV)).toEqual({
      format: "lcov",
      covered: 3,
      total: 4,
      files: [
        { path: "src/a.ts", covered: 2, total: 3 },
        { path: "src/b.ts", covered: 1, total: 1 },
      ],
    });
  });

  it("of Cobertura joins the classes of each file", async () => {
    expect(await coverageOf(COBERTURA)).toEqual({
      format: "cobertura",
      covered: 1,
      total: 3,
      files: [{ path: "src/a.ts", covered: 1, total: 3 }],
    });
  });

  it.each([
    ["an empty file", "", "has no file with lines."],
    ["a torn lcov", LCOV.slice(0, LCOV.indexOf("LF:")), "ends in the middle of a record, so a part of it is missing."],
    ["lcov with a line that is cut off", LCOV.slice(0, LCOV.indexOf(",5")), "is not lcov in line 4."],
    ["lines outside a record", "DA:1,1\n", "is not lcov in line 1."],
    ["another text", "hello\n", "is not lcov in line 1."],
    ["a torn Cobertura", COBERTURA.slice(0, -30), "is not well-formed XML."],
    ["other XML", "<html></html>", "is XML but not a Cobertura report."],
    ["entities", '<!DOCTYPE coverage [<!ENTITY a "b">]><coverage/>', "declares XML entities, which are not read."],
    [
      "a line without hits",
      '<coverage><packages><package><classes><class filename="a"><lines><line number="1"/></lines></class></classes></package></packages></coverage>',
      "has a line without a number or hits.",
    ],
  ])("is refused with one sentence if it is %s", async (_what, content, message) => {
    expect(await coverageOf(content)).toBe(message);
  });
});
