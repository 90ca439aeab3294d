import type { FastifyInstance, FastifyRequest } from "fastify";
import { keepBodyText } from "./body-text.ts";
import type { Route } from "./route.ts";

/**
 * Adds the routes that receive a signed form. These routes read no other kind of body. No other route reads forms, because a page of another site can
 * make a browser send a form. The handler gets only the text of the form, and checks the signature over its bytes.
 */
export async function withSignedForms(
  app: FastifyInstance,
  routes: readonly Route[],
  add: (scope: FastifyInstance, route: Route) => void,
): Promise<void> {
  const forms = routes.filter(({ form }) => form);
  if (forms.length === 0) return;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      async (request: FastifyRequest, body: string) => {
        keepBodyText(request, body);
      },
    );
    for (const route of forms) add(scope, route);
  });
}
