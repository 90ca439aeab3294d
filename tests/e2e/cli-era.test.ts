import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf } from "./testing/cli-under-test.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

const held = async (): Promise<number> => {
  const { lost } = await jsonOf(cli, ["era", "show"]);
  return (lost as { readonly held: boolean }[]).filter((one) => one.held).length;
};

describe("toolbus era", () => {
  it("shows an era that was never raised, raises it, and resumes the shards that this held", async () => {
    expect((await cli.run(["era", "show"])).stdout).toBe("era 1, never raised\n");
    const raised = await cli.run(["era", "raise", "--reason", "restored the midnight backup", "--hold"]);
    expect(raised).toMatchObject({ code: 0, stderr: "" });
    expect(raised.stdout).toMatch(/^era \d{10}, raised .* ago: restored the midnight backup\n/);
    expect(raised.stdout).toMatch(
      /\n00 .* held\n[^]*\n0f .* held\n\n.* toolbus era resume --all\n\nThe store knows no write that is held\./,
    );
    expect(await held()).toBe(16);
    const doctor = await cli.run(["doctor"]);
    expect(doctor).toMatchObject({ code: 1 });
    expect(doctor.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /fail lost writes The store lost writes of 16 shards, noticed .* ago: writes there that cannot be repeated safely do not begin\. → "toolbus era show" names them/,
    );

    const one = await cli.run(["era", "resume", "03"]);
    expect(one.stdout).toMatch(/\n03 .* resumed .* ago by approver:local\n/);
    expect(await held()).toBe(15);
    expect(await jsonOf(cli, ["era", "resume", "--all"])).toMatchObject({ reason: "restored the midnight backup" });
    expect(await held()).toBe(0);
    expect((await cli.run(["doctor"])).stdout).toMatch(/^ok {4}lost writes +no shard is held/m);
  });

  it("says in one line what to type instead", async () => {
    expectRefusal(await cli.run(["era", "resume"]), 2, /Name the shards, or --all/);
    expectRefusal(await cli.run(["era", "resume", "03", "--all"]), 2, /Name the shards, or --all/);
    expectRefusal(await cli.run(["era", "resume", "3"]), 2, /"3" is not a shard/);
    expectRefusal(await cli.run(["era", "raise"]), 2, /--reason/);
  });

  it("is refused for a key that is not an operator's at approvals", async () => {
    const refused = await cli.run(["era", "raise", "--reason", "because"], { env: { TOOLBUS_APPROVER_KEY: "a-key-that-nobody-has" } });
    expectRefusal(refused, 4, /key/);
  });
});
