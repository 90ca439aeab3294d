import { describe, expect, it } from "vitest";
import { refuseOnePortForBoth } from "./own-ports.ts";

describe("the ports of the gateway and approvals", () => {
  it.each([{ GATEWAY_PORT: "9000", APPROVALS_PORT: "9000" }, { GATEWAY_PORT: "8081" }, { APPROVALS_PORT: "8080", GATEWAY_PORT: "" }])(
    "are refused if both would be the same, also by a default: %o",
    (env) => {
      expect(() => refuseOnePortForBoth(env)).toThrow(
        /^The gateway and approvals cannot both listen on port \d+: give one of them another port/,
      );
    },
  );

  it.each([
    {},
    { GATEWAY_PORT: "0", APPROVALS_PORT: "0" },
    { GATEWAY_PORT: "9000", APPROVALS_PORT: "9001" },
    { GATEWAY_PORT: "9000", APPROVALS_PORT: "9000", APPROVALS_HOST: "::1" },
    { GATEWAY_PORT: "x", APPROVALS_PORT: "y" },
  ])("are accepted if they differ, or if each gets a free one: %o", (env) => {
    expect(() => refuseOnePortForBoth(env)).not.toThrow();
  });
});
