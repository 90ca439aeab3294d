import { keys, parseRegistration, type Role } from "@toolbus/contracts";
import type { Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";

const CALLERS: readonly Role[] = ["user", "operator"];

/** `GET /v1/tools`: what is registered, whether or not a worker runs at this moment. */
export function toolRoutes({ state }: Gateway): Route[] {
  return [
    {
      method: "GET",
      url: "/v1/tools",
      access: CALLERS,
      handle: async () => {
        const { members } = await state.page(keys.registryIndex(), { limit: 500 });
        const names = members.map(({ member }) => /^([^/]+)\/(.+)@([^@]+)$/.exec(member)).filter((parts) => parts !== null);
        const { documents } = await state.read(
          names.map(([, toolset = "", tool = "", version = ""]) => keys.registration(toolset, tool, version)),
        );
        const tools = documents.flatMap((document) => {
          const registration = document && parseRegistration(document.value);
          if (!registration?.ok) return [];
          const { toolset, hash, definition, lastSeenAt } = registration.value;
          const { name, version, description, kind, risk, parameters, source } = definition;
          return [{ name, version, toolset, source, kind, tier: risk.tier, description, parameters, hash, lastSeenAt }];
        });
        return { tools };
      },
    },
  ];
}
