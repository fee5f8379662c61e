/** Which value each channel has in a checkpoint, as text: `{"messages":[5,12],"branch:to:model":[4,0,null],"x":[1]}`. */

export type ChannelVersion = number | string;

/** Where the value is: in the row of that number, or here because it is shorter than a row, as JSON text. */
export type ValuePlace = { readonly number: number } | { readonly inline: string };

export interface ChannelPlace {
  readonly version: ChannelVersion;
  /** Undefined when the channel has a version and no value. */
  readonly value: ValuePlace | undefined;
}

export type ChannelMap = ReadonlyMap<string, ChannelPlace>;

/** Values with numbers count from 1; this one says that the value follows. */
const INLINE = 0;

function placeToJson(version: ChannelVersion, value: ValuePlace | undefined): unknown[] {
  if (value === undefined) return [version];
  if ("number" in value) return [version, value.number];
  return [version, INLINE, JSON.parse(value.inline)];
}

function placeFromJson([version, number, inline]: readonly [
  ChannelVersion,
  number?,
  unknown?,
]): ChannelPlace {
  if (number === undefined) return { version, value: undefined };
  return { version, value: number === INLINE ? { inline: JSON.stringify(inline) } : { number } };
}

export const channelMapToText = (channels: ChannelMap): string =>
  JSON.stringify(
    Object.fromEntries(
      [...channels].map(([channel, place]) => [channel, placeToJson(place.version, place.value)]),
    ),
  );

/** Reads what `channelMapToText` wrote. */
export function channelMapFromText(text: string): ChannelMap {
  // Only this file writes the column.
  const channels = JSON.parse(text) as Record<string, [ChannelVersion, number?, unknown?]>;
  return new Map(Object.entries(channels).map(([channel, place]) => [channel, placeFromJson(place)]));
}

/** The numbers of the values that the checkpoint holds. */
export function valueNumbersOf(channels: ChannelMap): readonly number[] {
  const numbers: number[] = [];
  for (const { value } of channels.values())
    if (value !== undefined && "number" in value) numbers.push(value.number);
  return numbers;
}
