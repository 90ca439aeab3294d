import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { Refusal } from "@toolbus/runtime";

/**
 * Throws a Refusal if the gateway and approvals would listen on the same port. Otherwise the second one would say that another process has the port,
 * although its own start has it. Port 0 means any free port, and two addresses of the machine can have the same port.
 */
export function refuseOnePortForBoth(env: Readonly<Record<string, string | undefined>>): void {
  const ofGateway = env["GATEWAY_PORT"] || String(gateway.settings.GATEWAY_PORT.default);
  const ofApprovals = env["APPROVALS_PORT"] || String(approvals.settings.APPROVALS_PORT.default);
  if (Number(ofGateway) !== Number(ofApprovals) || Number(ofGateway) === 0) return;
  if ((env["GATEWAY_HOST"] || "127.0.0.1") !== (env["APPROVALS_HOST"] || "127.0.0.1")) return;
  throw new Refusal(
    `The gateway and approvals cannot both listen on port ${ofGateway}: give one of them another port with GATEWAY_PORT or APPROVALS_PORT.`,
  );
}
