import { readYaml } from "@toolbus/runtime/yaml-text";

/** A rule of Prometheus: an alert with its place in the runbook, or a recorded series. */
export interface RuleExpression {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly runbook?: string;
}

/** Returns every rule of a file of rules. */
export function ruleExpressions(text: string): readonly RuleExpression[] {
  const { groups } = parseYaml(text) as {
    readonly groups: readonly {
      readonly rules: readonly (RuleExpression & { readonly annotations?: { readonly runbook_url: string } })[];
    }[];
  };
  return groups.flatMap(({ rules }) =>
    rules.map(({ annotations, ...rule }) => ({ ...rule, ...(annotations ? { runbook: annotations.runbook_url } : {}) })),
  );
}

/** Returns the value of a YAML text. Throws if the text has a fault. */
export function parseYaml(text: string): unknown {
  const read = readYaml(text);
  if (!read.ok) throw new Error(read.faults.map(({ line, message }) => `line ${line}: ${message}`).join("\n"));
  return read.value;
}

/** Returns every query of a dashboard, with the title of its panel. */
export function dashboardQueries(text: string): readonly { readonly title: string; readonly expr: string }[] {
  const { panels } = JSON.parse(text) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
}

/** Returns the names of the series that an expression of Prometheus reads. */
export function seriesIn(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, "")
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, " ")
    .replaceAll(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, " ")
    .replaceAll(/\boffset\s+\w+/g, " ");
  return [...bare.matchAll(/(?<![\w.:$])[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])/g)].map(([name]) => name).filter((name) => !WORDS.has(name));
}

const WORDS: ReadonlySet<string> = new Set(["and", "or", "unless", "sum", "max", "min"]);
