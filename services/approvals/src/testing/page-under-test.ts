import { type IncomingHttpHeaders, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { setup } from "./approvals-under-test.ts";

type Service = Awaited<ReturnType<typeof setup>>;

/** The headers of a request from a browser that is on the page itself. */
export const FROM_THE_PAGE = { "sec-fetch-site": "same-origin" } as const;

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly location: string | undefined;
}

/** A browser without scripts. It keeps the cookies, and sends the forms of the page that it opened last. `fetch` could not set every header. */
export function browserOf(t: Pick<Service, "url">, headersOf: Readonly<Record<string, string>> = {}) {
  const jar = new Map<string, string>();
  let shown = "";
  const self = {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    },
    set cookie(pairs: string) {
      jar.clear();
      for (const pair of pairs.split("; ")) if (pair !== "") keep(pair);
    },
    open: (path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> => sent("GET", path, headers, ""),
    post(
      path: string,
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = FROM_THE_PAGE,
    ): Promise<PageAnswer> {
      const type = { "content-type": "application/x-www-form-urlencoded" };
      return sent("POST", path, { ...type, ...headers }, new URLSearchParams(fields).toString());
    },
    signIn: (who: string, to = "") => self.post("/sign-in", { key: `key-${who}`, to }),
    /** Returns the hidden fields of the first form of the shown page that has all these fields. */
    form(action: string, having: Readonly<Record<string, string>> = {}): Record<string, string> {
      for (const [, target, content = ""] of shown.matchAll(/<form(?: class="show")? method="post" action="([^"]*)">(.*?)<\/form>/gs)) {
        const fields = Object.fromEntries(
          [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = "", value = ""]) => [
            name,
            unescaped(value),
          ]),
        );
        if (target === action && Object.entries(having).every(([name, value]) => fields[name] === value)) return fields;
      }
      throw new Error(`The page has no form for ${action}: ${shown}`);
    },
    /** Opens an approval and sends the form of this decision. */
    async decide(id: string, decision: string, typed: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
      await self.open(`/approvals/${id}`);
      return self.post(`/approvals/${id}/decision`, { ...self.form(`/approvals/${id}/decision`, { decision }), ...typed });
    },
  };
  return self;

  async function sent(method: string, path: string, headers: Readonly<Record<string, string>>, body: string): Promise<PageAnswer> {
    const cookies: Record<string, string> = jar.size === 0 ? {} : { cookie: self.cookie };
    const { promise, resolve, reject } = Promise.withResolvers<PageAnswer>();
    const asked = request(new URL(path, t.url), { method, headers: { ...headersOf, ...cookies, ...headers } }, (answer) => {
      textOf(answer).then((text) => {
        const { statusCode: status = 0, headers: got } = answer;
        for (const set of got["set-cookie"] ?? []) keep(set.split(";")[0] ?? "", /expires=thu, 01 jan 1970/i.test(set));
        shown = text;
        resolve({ status, headers: got, text, location: got.location });
      }, reject);
    });
    asked.on("error", reject);
    asked.end(body);
    return promise;
  }

  function keep(pair: string, isOver = false): void {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    if (isOver) jar.delete(name);
    else jar.set(name, value);
  }
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
