// Lists the exports of a module, one line per name, as the compiler resolves them. It asks the compiler itself (TypeScript 7 answers over a pipe). So
// an `export *`, an inferred type or a re-exported name means the same here as in the importing code.
import { createHash } from "node:crypto";
import path from "node:path";
import {
  type FunctionDeclaration,
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
  type VariableDeclaration,
} from "typescript/unstable/ast";
import { API, type Project, type Symbol as CompilerSymbol, SymbolFlags } from "typescript/unstable/sync";

/** One name: its kind and signature on one line, and the file that declares it, relative to the root of the repository. */
export interface DeclaredName {
  readonly name: string;
  readonly file: string;
  readonly lines: readonly string[];
}

/** The exports of a package's entries, by file. Also the types of the package that these signatures name, although no entry exports them. */
export interface PackageSurface {
  readonly exported: ReadonlyMap<string, readonly DeclaredName[]>;
  readonly named: readonly DeclaredName[];
}

/** Reads the packages of one compiler program. A package is given by the files of its entries. `close` stops the compiler. */
export interface SurfaceReader {
  read(entries: readonly string[]): PackageSurface;
  close(): void;
}

/** An export as importers see it. `export type` exports no value. */
interface Export {
  readonly name: string;
  readonly symbol: CompilerSymbol;
  readonly typeOnly: boolean;
}

// The lines are for review and not for reference. A line that is longer than this is cut. A digest at its end changes when the cut part changes.
const LONGEST_LINE = 200;
// NodeBuilderFlags.NoTruncation. Without this flag the compiler truncates types.
const NO_TRUNCATION = 1;

/** Opens one program for all entries. The program does not include tests and services, so it loads in half the time. */
export function openSurface(root: string): SurfaceReader {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [path.join(root, "scripts/surface.tsconfig.json")] }).getProjects();
    if (!project) throw new Error(`The compiler found no project in ${root}.`);
    return { read: (entries) => readPackage(project, root, entries), close: () => api.close() };
  } catch (error) {
    api.close();
    throw error;
  }
}

function readPackage(project: Project, root: string, entries: readonly string[]): PackageSurface {
  const exported = new Map(entries.map((entry) => [entry, exportsOf(project, root, entry)]));
  const symbols = [...exported.values()].flat().map(({ symbol }) => symbol);
  return {
    exported: new Map([...exported].map(([entry, all]) => [entry, all.map((each) => declared(project, root, each)).toSorted(byName)])),
    named: namedTypes(project, root, { symbols, folder: packageFolder(entries[0] ?? "") }),
  };
}

function exportsOf(project: Project, root: string, entry: string): readonly Export[] {
  const source = project.program.getSourceFile(path.join(root, entry));
  const module = source && project.checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} is not a module of the program in scripts/surface.tsconfig.json.`);
  return project.checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    symbol: aliased(project, symbol),
    typeOnly: (symbol.flags & SymbolFlags.Alias) !== 0 && nodesOf(project, symbol).every(isTypeOnly),
  }));
}

/** Returns the types that an importer meets without importing them: those of the signatures, the types that those types name, and so on. */
function namedTypes(
  project: Project,
  root: string,
  { symbols, folder }: { readonly symbols: readonly CompilerSymbol[]; readonly folder: string },
): readonly DeclaredName[] {
  const seen = new Set(symbols.map(({ id }) => id));
  const named: DeclaredName[] = [];
  let open = symbols;
  while (open.length > 0) {
    const next = open.flatMap((symbol) => typesNamedBy(project, symbol)).filter(({ id }) => !seen.has(id) && seen.add(id));
    open = next.filter((symbol) => fileOf(symbol, root).startsWith(`${folder}/`));
    named.push(...open.map((symbol) => declared(project, root, { name: symbol.name, symbol, typeOnly: true })));
  }
  return named.toSorted(byName);
}

function declared(project: Project, root: string, { name, symbol, typeOnly }: Export): DeclaredName {
  const nodes = nodesOf(project, symbol).filter((node) => !typeOnly || !isVariableDeclaration(node));
  // Importers of an overloaded function see only the overloads, and not the declaration with the body.
  const overloaded = nodes.some((node) => isFunctionDeclaration(node) && node.body === undefined);
  const shown = nodes.filter((node) => !overloaded || !isFunctionDeclaration(node) || node.body === undefined);
  return { name, file: fileOf(symbol, root), lines: shown.map((node) => shortened(signature(project, name, symbol, node))) };
}

function signature(project: Project, name: string, symbol: CompilerSymbol, node: Node): string {
  if (isFunctionDeclaration(node)) return `function ${name}${functionText(project, node)}`;
  if (isVariableDeclaration(node)) return `const ${name}: ${variableText(project, symbol, node)}`;
  if (isClassDeclaration(node)) return `class ${classText(project, node)}`;
  if (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node))
    return flat(node.getText())
      .replace(/^export /, "")
      .replace(/ = \| /, " = ");
  throw new Error(`${name} is a kind of export that the report has no line for: ${SyntaxKind[node.kind]}.`);
}

/**
 * Returns the function's signature as written, without the default values of parameters. If the function has no written result type, the inferred
 * type is used.
 */
function functionText(project: Project, node: FunctionDeclaration): string {
  const generics = node.typeParameters ? `<${node.typeParameters.map((each) => flat(each.getText())).join(", ")}>` : "";
  const parameters = node.parameters.map(({ dotDotDotToken, name, questionToken, type, initializer }) => {
    const optional = questionToken || initializer ? "?" : "";
    const binding = isIdentifier(name) ? name.getText() : "options";
    return `${dotDotDotToken ? "..." : ""}${binding}${optional}: ${type ? flat(type.getText()) : inferred(project, name)}`;
  });
  const called = node.type ? null : project.checker.getSignatureFromDeclaration(node);
  const result = called ? project.checker.getReturnTypeOfSignature(called) : undefined;
  const returned = node.type?.getText() ?? (result ? project.checker.typeToString(result, undefined, NO_TRUNCATION) : "unknown");
  return `${generics}(${parameters.join(", ")}): ${flat(returned)}`;
}

function variableText(project: Project, symbol: CompilerSymbol, node: VariableDeclaration): string {
  if (node.type) return flat(node.type.getText());
  const type = project.checker.getTypeOfSymbol(symbol);
  return type ? flat(project.checker.typeToString(type, undefined, NO_TRUNCATION)) : "unknown";
}

/** Returns the head of the class and its visible members, without bodies. */
function classText(project: Project, node: Node & { readonly members: readonly Node[] }): string {
  const [head = ""] = node.getText().split("{", 1);
  const members = node.members
    .map((member) => flat(withoutBody(member)))
    .filter((text) => !/^(?:private |static #|readonly #|#)/.test(text));
  return `${flat(head).replace(/^export (?:abstract )?class /, "")} { ${members.join(" ")} }`;
}

function withoutBody(member: Node): string {
  const body = "body" in member ? (member.body as Node | undefined) : undefined;
  return body ? `${member.getSourceFile().text.slice(member.getStart(), body.getStart()).trimEnd()};` : member.getText();
}

/** Returns the types that a declaration names, except those in a function's body or a value. */
function typesNamedBy(project: Project, symbol: CompilerSymbol): readonly CompilerSymbol[] {
  const names: Node[] = [];
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.TypeReference || node.kind === SyntaxKind.ExpressionWithTypeArguments) {
      const first = node.forEachChild((child) => child);
      if (first && isIdentifier(first)) names.push(first);
    }
    if (node.kind === SyntaxKind.Block || isExpression(node)) return;
    node.forEachChild(visit);
  };
  for (const node of nodesOf(project, symbol)) visit(node);
  if (names.length === 0) return [];
  return project.checker
    .getSymbolAtLocation(names)
    .filter((found) => found !== undefined)
    .map((found) => aliased(project, found))
    .filter(({ flags }) => (flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Class)) !== 0);
}

/** Returns whether the node is the initializer of a value, whose types are internal. */
function isExpression({ kind }: Node): boolean {
  return kind === SyntaxKind.ArrowFunction || kind === SyntaxKind.CallExpression || kind === SyntaxKind.ObjectLiteralExpression;
}

/** Returns whether an export is `export type { A } from …` or `export { type A } from …`. */
function isTypeOnly(node: Node): boolean {
  return /^type\s/.test(node.getText()) || /^export\s+type\s/.test(node.parent.parent.getText());
}

function aliased(project: Project, symbol: CompilerSymbol): CompilerSymbol {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : project.checker.getAliasedSymbol(symbol);
}

function nodesOf(project: Project, { name, declarations }: CompilerSymbol): readonly Node[] {
  return declarations.map((handle) => {
    const node = handle.resolve(project);
    if (!node) throw new Error(`The compiler does not find the declaration of ${name} again.`);
    return node;
  });
}

function fileOf({ declarations }: CompilerSymbol, root: string): string {
  return path.relative(root, declarations[0]?.path ?? root);
}

function inferred(project: Project, node: Node): string {
  const type = project.checker.getTypeAtLocation(node);
  return type ? flat(project.checker.typeToString(type, undefined, NO_TRUNCATION)) : "unknown";
}

/** Returns a text on one line, without comments. */
function flat(text: string): string {
  return text
    .replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function shortened(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const digest = createHash("sha256").update(line).digest("hex").slice(0, 8);
  return `${line.slice(0, LONGEST_LINE - ` … // all: ${digest}`.length).trimEnd()} … // all: ${digest}`;
}

function packageFolder(entry: string): string {
  return entry.split("/").slice(0, 2).join("/");
}

function byName(a: DeclaredName, b: DeclaredName): number {
  return a.name < b.name ? -1 : 1;
}
