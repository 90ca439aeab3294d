// Reads streams of server-sent events in a separate process, so that only the server's work is measured and not its clients' work.
import { connect, type Socket } from "node:net";
import { answerQuestions } from "../asked-process.ts";
import type { Manner, OpenReaders, ReaderQuestion } from "./readers.ts";

interface Reader {
  readonly socket: Socket;
  events: number;
}

interface Group {
  readonly readers: readonly Reader[];
  ages: number[];
  /** The awaited state, in which each reader has this many events. */
  target: { readonly events: number; readonly reached: () => void } | null;
  short: number;
}

const groups = new Map<number, Group>();
let opened = 0;
const HEAD_END = Buffer.from("\r\n\r\n");
// This text occurs once in every event and never in a comment. The data of an event is one line, so it contains no line feed.
const EVENT = Buffer.from("\nevent: ");

answerQuestions<ReaderQuestion>(
  async (question) => {
    if (question.kind === "open") return open(question);
    const group = groups.get(question.group);
    if (!group) throw new Error(`there is no group ${question.group}`);
    if (question.kind === "had") return had(group, question.events);
    if (question.kind === "report") return report(group);
    if (question.kind === "closed") return closed(group);
    groups.delete(question.group);
    for (const { socket } of group.readers) socket.destroy();
    return {};
  },
  async () => undefined,
);

async function open(ask: OpenReaders): Promise<object> {
  const readers: Reader[] = [];
  const group: Group = { readers, ages: [], target: null, short: 0 };
  const id = ++opened;
  groups.set(id, group);
  const answers: Promise<void>[] = [];
  for (let n = 0; n < ask.count; n++) {
    const reader: Reader = { socket: connect({ host: "127.0.0.1", port: ask.port }), events: 0 };
    readers.push(reader);
    answers.push(begun(reader, group, ask));
    // The loop waits after every 100 connections, because the queue of a listening socket is limited.
    if (n % 100 === 99) await Promise.all(answers);
  }
  await Promise.all(answers);
  return { group: id };
}

/**
 * Requests the stream and reads it in the given manner. Resolves when the head of the answer has arrived. A reader that never reads resolves when the
 * request is sent.
 */
function begun(reader: Reader, group: Group, { request, manner }: OpenReaders): Promise<void> {
  const { socket } = reader;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on("error", reject);
  socket.on("close", () => reject(new Error("the server closed a stream before it answered")));
  socket.once("connect", () => {
    socket.write(request);
    if (manner === "never reads") resolve();
  });
  if (manner === "never reads") return promise;
  let head = Buffer.alloc(0);
  let begins = false;
  let tail = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    let body = bytes;
    if (!begins) {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      if (!head.subarray(0, 12).equals(OK)) return reject(new Error(`a stream was answered ${head.subarray(0, 80).toString("latin1")}`));
      begins = true;
      body = head.subarray(end + HEAD_END.length);
      resolve();
    }
    if (manner === "reads and times") noteAges(group, body);
    count(reader, group, Buffer.concat([tail, body.subarray(0, EVENT.length - 1)]), body);
    tail = Buffer.concat([tail, body.subarray(1 - EVENT.length)]).subarray(1 - EVENT.length);
    if (typeof manner === "object") readOnLater(socket, bytes.length, manner);
  });
  return promise;
}

const OK = Buffer.from("HTTP/1.1 200");

function readOnLater(socket: Socket, bytes: number, { bytesPerSecond }: Exclude<Manner, string>): void {
  socket.pause();
  setTimeout(() => socket.resume(), (bytes * 1000) / bytesPerSecond).unref();
}

/**
 * Counts the events in new bytes. `seam` holds the last earlier bytes and the first new bytes. Neither part of `seam` is long enough to contain the
 * text that marks an event, so no event is counted twice.
 */
function count(reader: Reader, group: Group, seam: Buffer, bytes: Buffer): void {
  const before = reader.events;
  if (seam.includes(EVENT)) reader.events++;
  for (let at = bytes.indexOf(EVENT); at >= 0; at = bytes.indexOf(EVENT, at + EVENT.length)) reader.events++;
  const { target } = group;
  if (!target || before >= target.events || reader.events < target.events || --group.short > 0) return;
  group.target = null;
  target.reached();
}

function noteAges(group: Group, bytes: Buffer): void {
  const now = performance.timeOrigin + performance.now();
  for (const [, at] of bytes.toString("latin1").matchAll(/"at":(\d+(?:\.\d+)?)/g)) group.ages.push(now - Number(at));
}

async function had(group: Group, events: number): Promise<object> {
  group.short = group.readers.filter((reader) => reader.events < events).length;
  if (group.short > 0) await new Promise<void>((resolve) => (group.target = { events, reached: resolve }));
  return {};
}

async function closed({ readers }: Group): Promise<object> {
  const all = readers.map(({ socket }) => new Promise<void>((resolve) => socket.once("close", () => resolve())));
  for (const { socket } of readers) socket.resume();
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, 2000))]);
  return { closed: readers.filter(({ socket }) => socket.destroyed).length };
}

function report(group: Group): object {
  const { ages } = group;
  group.ages = [];
  return {
    events: group.readers.map((reader) => reader.events),
    open: group.readers.filter(({ socket }) => !socket.destroyed).length,
    ages,
  };
}
