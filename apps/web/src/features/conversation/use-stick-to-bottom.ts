/** Keeps the newest in sight while it grows, and lets go as soon as the reader scrolls up. */
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** This near to the end counts as being there, in pixels. */
const NEAR = 48;

interface Stick {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atBottom: boolean;
  toBottom(): void;
}

/** @param key another value means another content: go to its end */
export function useStickToBottom(key: string): Stick {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const shownFor = useRef<string>(undefined);
  const [atBottom, setAtBottom] = useState(true);

  const toBottom = useCallback(() => {
    sticks.current = true;
    setAtBottom(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);

  useEffect(() => {
    if (shownFor.current === key) return;
    shownFor.current = key;
    sticks.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [key]);

  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (outer === null || inner === null) return undefined;
    let lastTop = outer.scrollTop;
    const onScroll = () => {
      const rest = outer.scrollHeight - outer.scrollTop - outer.clientHeight;
      // Content that grows also moves the end away: only going up lets go.
      if (rest < NEAR) sticks.current = true;
      else if (outer.scrollTop < lastTop - 1) sticks.current = false;
      lastTop = outer.scrollTop;
      setAtBottom(sticks.current);
    };
    const follow = new ResizeObserver(() => {
      if (sticks.current) outer.scrollTop = outer.scrollHeight;
    });
    follow.observe(inner);
    follow.observe(outer);
    outer.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      follow.disconnect();
      outer.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, atBottom, toBottom };
}
