/** The time, as fresh as a list of "5 minutes ago" needs it. */
import { useEffect, useState } from "react";

/** Milliseconds since 1970; a new value every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
