import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RenderProblem, Route } from "./route.ts";

/**
 * Adds the routes for browsers, which read forms and cookies. No other route reads forms or cookies, because a page of another site can make a
 * browser send both.
 */
export async function withForms(
  app: FastifyInstance,
  routes: readonly Route[],
  add: (scope: FastifyInstance, route: Route) => void,
): Promise<void> {
  const pages = routes.filter(({ page }) => page !== undefined);
  if (pages.length === 0) return;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(formbody);
    await scope.register(cookie);
    for (const route of pages) add(scope, route);
  });
}

/**
 * Returns a function that finds how the route of a request renders its refusals. The function returns undefined if this route is not for browsers.
 */
export function pageFinder(routes: readonly Route[]): (request: FastifyRequest) => RenderProblem | undefined {
  const pages = new Map(routes.flatMap(({ method, url, page }) => (page === undefined ? [] : [[`${method} ${url}`, page]])));
  return ({ method, routeOptions }) => pages.get(`${method} ${routeOptions.url ?? ""}`);
}
