import { describe, expect, it } from "vitest";
import { policyOf } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

const DEFAULTS = { expiryMs: 900_000, remindPercent: 50 };

/** Returns the faults of a file, each as `line: sentence`. */
function faults(text: string, targets: readonly string[] | null = null): readonly string[] {
  const read = readPolicy(text, DEFAULTS, { targets });
  return read.ok ? [] : read.faults.map(({ line, message }) => `${line}: ${message}`);
}

function versionOf(text: string): string {
  const read = readPolicy(text, DEFAULTS);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return policyOf(read.file).version;
}

describe("a policy file", () => {
  it("needs only its version", () => {
    expect(readPolicy("version: 1\n", DEFAULTS)).toEqual({ ok: true, file: { version: 1 } });
  });

  it("has a version that follows from its content, not from its form", () => {
    const one = "version: 1\nhitlMode: auto\ntiers:\n  high: { approvers: 2, expires: 4h }\n";
    const other = '# Reviewed.\nversion: 1\ntiers: {high: {"expires": "4h", approvers: 2}}\n';
    expect(versionOf(one)).toBe(versionOf(other));
    expect(versionOf(one)).toMatch(/^sha256-/);
    expect(versionOf(one.replace("4h", "5h"))).not.toBe(versionOf(other));
  });

  it.each([
    ["", ['1: this is not a policy: it begins with "version: 1"']],
    ["version: 2\n", ["1: version must be 1"]],
    ["version: 1\nrulez: []\n", ["2: rulez is not a known field"]],
    ["version: 1\nversion: 1\n", [expect.stringMatching(/^2: this is not YAML: Map keys must be unique/)]],
    ["version: 1\ntiers:\n  high:\n    expires: soon\n", ["4: tiers.high.expires must be a time such as 90m, 4h or 2d"]],
    [
      "version: 1\ntiers:\n  critical:\n    approvers: 1\n",
      ["4: tiers.critical.approvers cannot be lower than 2, which the tier critical always needs"],
    ],
    [
      "version: 1\ntiers:\n  high: { from: [finance] }\n",
      [expect.stringMatching(/^3: tiers\.high\.from\.0 must be "approver:ana", "group:finance"/)],
    ],
    ["version: 1\nrules:\n  - name: one\n", ["3: rules.0 changes nothing: add tier or needs"]],
    ["version: 1\nrules:\n  - name: one\n    tier: high\n", ["4: rules.0.tier needs a reason, the sentence that approvers read"]],
    [
      "version: 1\nrules:\n  - { name: one, tier: high, reason: a }\n  - { name: one, tier: high, reason: b }\n",
      ['4: rules.1.name is the name of an earlier rule: "one"; give each rule its own'],
    ],
    [
      "version: 1\nrules:\n  - name: one\n    tiers: [high]\n    tier: critical\n    reason: a\n",
      ["4: rules.0.tiers cannot be combined with tier, because the tier of the call must be known first"],
    ],
    [
      'version: 1\nrules:\n  - name: one\n    tier: high\n    reason: a\n    when:\n      properties:\n        id: { pattern: "(?<=x)y" }\n',
      [expect.stringMatching(/^8: rules\.0\.when\.properties\.id\.pattern is not a schema that can be used\. /)],
    ],
    [
      "version: 1\nrules:\n  - { name: one, tools: [Refund], tier: high, reason: a }\n",
      [expect.stringMatching(/^3: rules\.0\.tools\.0 must be a tool/)],
    ],
    ["version: 1\ntiers:\n  high: { hours: night }\n", ['3: tiers.high.hours names "night", which is not among hours']],
    [
      'version: 1\nhours:\n  office: { zone: Mars/Olympus, days: [mon], from: "08:00", to: "07:00" }\n',
      [
        '3: hours.office.zone is not a time zone: "Mars/Olympus"; one is Europe/Berlin',
        "3: hours.office.to must be later on the same day than from (08:00)",
      ],
    ],
    [
      'version: 1\ntiers:\n  high: { ticket: "(" }\n',
      [expect.stringMatching(/^3: tiers\.high\.ticket is not a regular expression that can be used\. /)],
    ],
    [
      "version: 1\ntiers:\n  high: { expires: 7d }\n",
      [expect.stringMatching(/^3: tiers\.high\.expires can take longer than 6 days, the longest/)],
    ],
    [
      "version: 1\ntiers:\n  high: { groups: { a: 9, b: 8 } }\n",
      [expect.stringMatching(/^1: this asks for 17 people of groups in total; 16/)],
    ],
  ])("is refused with every fault and its line: %j", (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it("is refused if a time in working hours can take longer than a write can wait", () => {
    const file = (days: string, expires: string): string =>
      `version: 1\nhours:\n  office: { zone: Europe/Berlin, days: ${days}, from: "08:00", to: "16:00" }\ntiers:\n  high: { hours: office, expires: ${expires} }\n`;
    expect(faults(file("[mon, tue, wed, thu, fri]", "16h"))).toEqual([]);
    expect(faults(file("[mon, tue, wed, thu, fri]", "2d"))).toEqual([
      expect.stringMatching(/^5: tiers\.high\.expires can take longer than 6 days/),
    ]);
    expect(faults(file("[mon]", "1h"))).toEqual([expect.stringMatching(/^5: tiers\.high\.expires can take longer/)]);
  });

  it("is refused if it escalates to a target that does not exist, where the targets are known", () => {
    const text = "version: 1\ntiers:\n  high: { escalate: { after: 75, to: [pager] } }\n";
    expect(faults(text)).toEqual([]);
    expect(faults(text, ["pager"])).toEqual([]);
    expect(faults(text, ["ops"])).toEqual([
      '3: tiers.high.escalate.to.0 names "pager", which is not a target in the file of webhooks (WEBHOOKS_FILE)',
    ]);
  });

  it("is refused if it is too long, or expands without end", () => {
    expect(faults(`version: 1 # ${"x".repeat(70_000)}`)).toEqual([
      expect.stringMatching(/^1: this has 7\d{4} characters; 65536 are the most/),
    ]);
    const bomb = [
      "a: &a [1,1,1,1,1,1,1,1,1]",
      ..."bcdefghi".split("").map((name, n) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[n]}`).join(",")}]`),
    ];
    expect(faults(`version: 1\n${bomb.join("\n")}\n`)).toEqual([expect.stringMatching(/cannot be read/)]);
  });
});
