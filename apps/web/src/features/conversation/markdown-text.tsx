/** Markdown as it streams. Loaded apart from the first page; use `Markdown`. */
import { defaultRemarkPlugins, Streamdown, type Components } from "streamdown";
import { alignNumbers } from "./align-numbers.js";
import { BlockedImage } from "./blocked-image.js";
import { CodeBlock } from "./code-block.js";
import { safeLink } from "./safe-link.js";

/** The agent's text is hostile: links only to harmless addresses, no image is ever fetched. */
const COMPONENTS: Components = {
  a: ({ href, children }) => {
    const safe = safeLink(href);
    if (safe === undefined) return <span>{children}</span>;
    return (
      <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  },
  img: ({ alt, src }) => <BlockedImage alt={alt ?? ""} src={typeof src === "string" ? src : ""} />,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  code: ({ children }) => <code>{children}</code>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  thead: "thead",
  tbody: "tbody",
  tr: "tr",
  th: "th",
  td: "td",
  ul: "ul",
  ol: "ol",
  li: "li",
  h1: "h1",
  h2: "h2",
  h3: "h3",
  h4: "h4",
  h5: "h5",
  h6: "h6",
  blockquote: "blockquote",
  hr: "hr",
  strong: "strong",
};

const REMARK_PLUGINS = [...Object.values(defaultRemarkPlugins), alignNumbers];

interface MarkdownTextProps {
  readonly text: string;
  readonly streaming: boolean;
}

export const MarkdownText = ({ text, streaming }: MarkdownTextProps) => (
  <Streamdown
    className="markdown"
    mode={streaming ? "streaming" : "static"}
    isAnimating={streaming}
    components={COMPONENTS}
    remarkPlugins={REMARK_PLUGINS}
    linkSafety={{ enabled: false }}
    controls={false}
  >
    {text}
  </Streamdown>
);
