import { createHash } from "node:crypto";
import type { Json, JsonObject } from "@toolbus/contracts";
import type { MediaType, OpenApi, Operation, Parameter, Response } from "./openapi.ts";

/** An HTML page and the policy under which a browser may show it. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** Returns the description of an API as an HTML page without scripts or external resources. */
export function docsPage(api: OpenApi): DocsPage {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = api.tags.map(({ name }) => ({ name, here: operations.filter(({ operation }) => operation.tags.includes(name)) }));
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(api.info.title)}</title><style>${STYLE}</style></head><body>`,
    `<header><h1>${escaped(api.info.title)}</h1>${paragraphs(api.info.description)}`,
    '<p>The same for machines: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p></header>',
    `<nav aria-label="Routes">${groups.map(contents).join("")}</nav><main>`,
    ...groups.map(({ name, here }) => `<section><h2>${escaped(name)}</h2>${here.map(article).join("")}</section>`),
    `<section><h2>Schemas</h2>${Object.entries(api.components.schemas).map(schemaOf).join("")}</section>`,
    "</main></body></html>",
  ].join("\n");
  const hash = createHash("sha256").update(STYLE).digest("base64");
  return {
    html,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function contents({ name, here }: { readonly name: string; readonly here: readonly Shown[] }): string {
  const items = here.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><b>${method}</b> ${escaped(path)}</a> <span>${escaped(operation.summary)}</span></li>`,
  );
  return `<h2>${escaped(name)}</h2><ul>${items.join("")}</ul>`;
}

function article({ method, path, operation }: Shown): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  return [
    `<article id="${operationId}"><h3><b>${method}</b> <code>${escaped(path)}</code></h3><p><strong>${escaped(summary)}</strong></p>`,
    paragraphs(description),
    parameters.length > 0 ? `<h4>Parameters</h4><dl>${parameters.map(parameterOf).join("")}</dl>` : "",
    requestBody ? `<h4>Body${requestBody.required ? "" : " (may be left out)"}</h4>${mediaOf(requestBody.content)}` : "",
    `<h4>Answers</h4>${Object.entries(responses).map(answer).join("")}</article>`,
  ].join("");
}

function parameterOf({ name, in: where, required, description, schema, example }: Parameter): string {
  const like = example === undefined ? "" : ` For example <code>${escaped(codeOf(example))}</code>.`;
  return `<dt><code>${escaped(name)}</code> <small>${where}${required ? ", required" : ""}, ${escaped(typeOf(schema))}</small></dt><dd>${inline(description)}${like}</dd>`;
}

function answer([status, { description, content, headers }]: readonly [string, Response]): string {
  const more = [
    headers
      ? `<p>Headers: ${Object.keys(headers)
          .map((name) => `<code>${escaped(name)}</code>`)
          .join(", ")}.</p>`
      : "",
    // Every problem has the same schema, which is at the end of the page.
    content && Number(status) < 400 ? mediaOf(content) : "",
  ].join("");
  const head = `<b>${escaped(status)}</b> ${inline(description)}`;
  return more === "" ? `<p>${head}</p>` : `<details><summary>${head}</summary>${more}</details>`;
}

function mediaOf(content: Readonly<Record<string, MediaType>>): string {
  return Object.entries(content)
    .map(([type, { schema, example, examples = {} }]) => {
      const all = [...(example === undefined ? [] : [{ value: example }]), ...Object.values(examples)];
      return [
        `<p><code>${escaped(type)}</code>${schema === undefined ? "" : `: ${schemaLine(schema)}`}</p>`,
        ...all.map(
          (one) => `${"summary" in one && one.summary ? `<p>${inline(one.summary)}</p>` : ""}<pre>${escaped(codeOf(one.value))}</pre>`,
        ),
      ].join("");
    })
    .join("");
}

function schemaOf([name, schema]: readonly [string, Json]): string {
  return `<details id="schema-${name}"><summary><code>${escaped(name)}</code></summary><pre>${escaped(JSON.stringify(schema, null, 2))}</pre></details>`;
}

function schemaLine(schema: Json): string {
  const name = /^\{"\$ref":"#\/components\/schemas\/(\w+)"\}$/.exec(JSON.stringify(schema))?.[1];
  return name === undefined ? escaped(typeOf(schema)) : `<a href="#schema-${name}">${name}</a>`;
}

function typeOf(schema: Json): string {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "anything";
  const { type, minimum, maximum, default: preset, enum: words } = schema as JsonObject;
  const range = minimum === undefined ? "" : ` from ${codeOf(minimum)}${maximum === undefined ? "" : ` to ${codeOf(maximum)}`}`;
  const what = Array.isArray(words) ? `one of ${words.join(", ")}` : typeof type === "string" ? type : "one of several";
  return `${what}${range}${preset === undefined ? "" : `, ${codeOf(preset)} by default`}`;
}

const codeOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function paragraphs(text: string): string {
  return text
    .split(/\n\n+/)
    .filter(Boolean)
    .map((part) => `<p>${inline(part)}</p>`)
    .join("");
}

/** Returns escaped text in which text between backticks is marked as code. */
function inline(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.2}
h3{font-size:1.1rem;margin:0}
article{border:1px solid #8886;border-radius:.5rem;padding:1rem;margin:1rem 0}
code,pre{font:.875rem/1.4 ui-monospace,monospace}
pre{overflow-x:auto;white-space:pre-wrap;background:#8882;padding:.75rem;border-radius:.375rem}
nav ul{padding-left:1.2rem}
nav span,small{opacity:.75}
dd{margin:0 0 .75rem 1rem}
summary{cursor:pointer}
details{margin:.5rem 0}
`;
