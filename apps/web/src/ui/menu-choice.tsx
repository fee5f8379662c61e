/** A group of a menu in which exactly one thing is chosen. */
import { Check } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

interface MenuChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: ReactNode }[];
  onChoose(value: string): void;
}

export function MenuChoice({ label, value, options, onChoose }: MenuChoiceProps) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChoose} aria-label={label}>
      <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs text-ink-faint">{label}</DropdownMenu.Label>
      {options.map((option) => (
        <DropdownMenu.RadioItem
          key={option.value}
          value={option.value}
          className="flex cursor-pointer items-center gap-2 rounded-md py-1.5 pr-3 pl-7 outline-none data-highlighted:bg-hover"
        >
          <DropdownMenu.ItemIndicator className="absolute left-3">
            <Check className="size-3.5" aria-hidden />
          </DropdownMenu.ItemIndicator>
          {option.label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
