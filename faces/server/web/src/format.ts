// Numbers, sizes and times as people read them.

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** A count with its thousands apart. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** A count in few letters: `10.2 M`. */
export function short(value: number): string {
  return scaled(value, 1000, ["", "K", "M", "G", "T"]);
}

/** Bytes in decimal units, as the program prints them. */
export function bytes(value: number): string {
  return scaled(value, 1000, UNITS);
}

function scaled(value: number, base: number, units: string[]): string {
  let at = 0;
  while (Math.abs(value) >= base && at < units.length - 1) {
    value /= base;
    at += 1;
  }
  const digits = at === 0 && Number.isInteger(value) ? 0 : 1;
  return `${value.toFixed(digits)} ${units[at]}`.trimEnd();
}

/** A share of a whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const share = (100 * part) / whole;
  return `${share < 10 ? share.toFixed(1) : Math.round(share)} %`;
}

/** `1 series`, `2 hits`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A time in UTC to the minute, to the second where that is not 0. */
export function time(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return "";
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, text.slice(17, 19) === "00" ? 16 : 19)}`;
}

/** From one time to another: the second without its date where that is the same. */
export function span(from: number | string, to: number | string): string {
  const [first, second] = [time(from), time(to)];
  const isSameDay = first.slice(0, 11) === second.slice(0, 11);
  return `${first} – ${isSameDay ? second.slice(11) : second}`;
}

/** How long something took. */
export function took(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A sample's value. */
export function value(number: number): string {
  if (!Number.isFinite(number)) return String(number);
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return number.toExponential(3);
  return number.toLocaleString("en-US", { maximumFractionDigits: size < 10 ? 4 : 2 });
}
