/** The sign of the product. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden className="size-6 shrink-0">
    <rect width="32" height="32" rx="7" fill="#1f5c4a" />
    <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" strokeLinejoin="round">
      <path d="M16 25v-8" />
      <path d="M16 17c-5 0-7-3-7-9" />
      <path d="M16 17c5 0 7-3 7-9" />
      <path d="M10 13H6" />
      <path d="M22 13h4" />
    </g>
  </svg>
);
