/**
 * The thread that looks for a pattern in lines. Plain JavaScript, so that it runs as it lies both from the sources and
 * from the build. It ends its own work at the limit of matches; at every other limit it is terminated.
 */
import { parentPort } from "node:worker_threads";
import { RE2JS } from "re2js";

/** @typedef {import("./line-protocol.js").Search} Search */
/** @typedef {import("./line-protocol.js").ToWorker} ToWorker */
/** @typedef {import("./line-protocol.js").FromWorker} FromWorker */
/** @typedef {import("./line-protocol.js").FoundLine} FoundLine */

/** What lies beyond in one line is not searched. Characters. */
const MAX_SEARCHED_LINE = 10 * 1024 * 1024;
/** Steps of the exact way to find a position that are cheap enough: program size times characters. */
const MAX_EXACT_STEPS = 40_000_000;
/** How near the other way comes to the end of the match. Characters. */
const GRAIN = 4096;

/** @param {FromWorker} message */
const say = (message) => parentPort?.postMessage(message);

/** Says whether a line matches, and where (UTF-16 units). Takes linear time. */
class Matcher {
  /** @param {Search} search */
  constructor({ pattern, literal, caseSensitive }) {
    this.plain = literal && caseSensitive ? pattern : undefined;
    this.compiled = RE2JS.compile(
      literal ? RE2JS.quote(pattern) : pattern,
      caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE,
    );
    this.size = this.compiled.programSize();
  }

  /** @param {string} line */
  matches(line) {
    return this.plain === undefined ? this.compiled.test(line) : line.includes(this.plain);
  }

  /**
   * Where the first match begins. Exact while that is cheap, else near it: testing is far faster than finding.
   * @param {string} line one that matches
   */
  position(line) {
    if (this.plain !== undefined) return line.indexOf(this.plain);
    if (line.length * this.size <= MAX_EXACT_STEPS) return this.find(line) ?? 0;
    let [low, high] = [0, line.length];
    while (high - low > GRAIN) {
      const middle = Math.floor((low + high) / 2);
      if (this.compiled.test(line.slice(0, middle))) high = middle;
      else low = middle;
    }
    const start = Math.max(0, high - 4 * GRAIN);
    return start + (this.find(line.slice(start, high)) ?? high - start - GRAIN);
  }

  /** @param {string} line */
  find(line) {
    const matcher = this.compiled.matcher(line);
    return matcher.find() ? matcher.start() : undefined;
  }
}

/**
 * At most `limit` characters around `at`, with "…" where the line was cut.
 * @param {string} line
 * @param {number} at
 * @param {number} limit
 */
function excerpt(line, at, limit) {
  const room = limit - 2;
  const start = Math.max(0, Math.min(at - Math.floor(room / 4), line.length - room));
  const piece = line.slice(start, start + room).replaceAll(/\p{Surrogate}/gu, "");
  return `${start > 0 ? "…" : ""}${piece}${start + room < line.length ? "…" : ""}`;
}

/** One file, piece by piece. A byte-order mark is no text; only "\n" ends a line, and a CR before it goes with it. */
class File {
  /** @type {FoundLine[]} */
  found = [];
  binary = false;
  decoder = new TextDecoder();
  number = 0;
  open = "";

  /**
   * @param {Matcher} matcher
   * @param {Search} search
   * @param {number} room how many matches there is still room for
   */
  constructor(matcher, search, room) {
    this.matcher = matcher;
    this.limit = search.maxLineCharacters;
    this.room = room;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {boolean} last
   */
  add(bytes, last) {
    this.binary ||= bytes.includes(0);
    if (this.binary || this.found.length >= this.room) return;
    const text = this.decoder.decode(bytes, { stream: !last });
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.extend(text.slice(start, end));
      this.look(this.open.endsWith("\r") ? this.open.slice(0, -1) : this.open);
      this.open = "";
      start = end + 1;
    }
    this.extend(text.slice(start));
    if (last && this.open !== "") this.look(this.open);
  }

  /** @param {string} text */
  extend(text) {
    this.open = this.open === "" ? text : this.open + text;
    if (this.open.length > MAX_SEARCHED_LINE) this.open = this.open.slice(0, MAX_SEARCHED_LINE);
  }

  /** @param {string} line */
  look(line) {
    this.number += 1;
    if (this.found.length >= this.room || !this.matcher.matches(line)) return;
    const isLong = line.length > this.limit;
    this.found.push({
      line: this.number,
      text: isLong ? excerpt(line, this.matcher.position(line), this.limit) : line,
    });
  }
}

/** @type {{ search: Search, matcher: Matcher, room: number } | undefined} */
let current;
/** @type {File | undefined} */
let file;

/** @param {Search} search */
function begin(search) {
  file = undefined;
  try {
    current = { search, matcher: new Matcher(search), room: search.maxMatches };
    say({ type: "ready" });
  } catch (error) {
    say({ type: "refused", reason: faultOf(search, error) });
  }
}

/**
 * What is wrong with a pattern, in its own words: the matcher writes a flag before one whose case does not count.
 * @param {Search} search
 * @param {unknown} error
 */
function faultOf({ pattern, literal }, error) {
  try {
    if (!literal) RE2JS.compile(pattern);
  } catch (plain) {
    return plain instanceof Error ? plain.message : String(plain);
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {Uint8Array} bytes
 * @param {boolean} last
 */
function take(bytes, last) {
  if (current === undefined) throw new Error("A piece came before a search.");
  file ??= new File(current.matcher, current.search, current.room);
  file.add(bytes, last);
  say({ type: "taken", enough: file.binary });
  if (!last) return;
  const found = file.binary ? [] : file.found;
  current.room -= found.length;
  file = undefined;
  say({ type: "file", found });
}

parentPort?.on("message", (/** @type {ToWorker} */ message) => {
  if (message.type === "search") begin(message.search);
  else take(message.bytes, message.last);
});
