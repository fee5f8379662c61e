/** The pictures of a message, small; a click opens one whole. They lie on the gateway, never elsewhere. */
import type { ShownImage } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { baseName } from "../../lib/format.js";
import { useServices } from "../../lib/services.js";

export function ShownImages({ images }: { readonly images: readonly ShownImage[] }) {
  const t = useText();
  const { client } = useServices();
  return (
    <ul className="flex flex-wrap gap-1.5">
      {images.map((image, index) => {
        const alt = image.name === "" ? `${t("image")} ${index + 1}` : baseName(image.name);
        const address = client.imageAddress(image);
        return (
          // Two pictures of a message may be the same.
          <li key={`${index} ${image.address.slice(-64)}`}>
            <a href={address} target="_blank" rel="noopener noreferrer" aria-label={alt}>
              <img
                src={address}
                alt={alt}
                loading="lazy"
                className="max-h-48 max-w-full rounded-md border border-line object-contain"
              />
            </a>
          </li>
        );
      })}
    </ul>
  );
}
