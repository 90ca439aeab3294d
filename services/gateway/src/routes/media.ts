import { ID_PATTERNS, mediaQuery } from "@toolbus/contracts";
import { getRoute, type Route } from "@toolbus/runtime";
import { callMedia } from "../call-media.ts";
import type { Gateway } from "../gateway.ts";
import { orProblem } from "../refused.ts";
import { CALLERS } from "./callers.ts";
import { examples } from "./documented.ts";

/** Returns the route with which people get the pictures, sounds and files of a call's result. */
export function mediaRoutes({ state }: Pick<Gateway, "state">): readonly Route[] {
  return [
    getRoute({
      url: "/v1/calls/:id/media",
      access: CALLERS,
      docs: {
        operationId: "getCallMedia",
        tag: "Runs",
        summary: "Returns a picture, a sound or a file of a call's result.",
        description:
          "The event `call.resolved` lists what there is. The answer has the media type that the tool stated, and is an attachment, because a tool may return anything. The model does not get these bytes.",
        id: { says: "The call.", pattern: ID_PATTERNS.call, example: examples.callId },
        answers: { 200: { says: "The bytes.", type: "*/*", headers: { "content-disposition": "Always an attachment." } } },
        problems: ["expired"],
      },
      query: mediaQuery,
      async handle({ id, principal, reply, query: { blob } }) {
        const { media, bytes } = orProblem(await callMedia(state, { callId: id, blob, principal }));
        // A page that a tool returned must not run as a page of the gateway.
        reply.headers({
          "content-disposition": `attachment; filename="${blob.slice(0, 23)}"`,
          "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        });
        reply.type(media.mediaType).send(Buffer.from(bytes));
        return undefined;
      },
    }),
  ];
}
