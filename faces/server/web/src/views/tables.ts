// Any table of the catalogue, of any place.

import { get, table } from "../api";
import { h } from "../dom";
import { count } from "../format";
import { go } from "../route";
import { field, form, head, input, select, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { dataTable } from "../parts/table";

interface Argument {
  name: string;
  takes: string;
  about: string;
}

interface Declared {
  name: string;
  about: string;
  arguments: Argument[];
}

export function tables(view: View): void {
  const { place, params, into, signal } = view;
  const chosen = params.get("table") ?? place.tables[0] ?? "";
  const body = h("div");
  into.append(head(place, "tables"), body);
  void load(body, signal, async () => {
    const { tables: declared } = await get<{ tables: Declared[] }>("tables", {}, signal);
    const own = declared.find((one) => one.name === chosen);
    if (!own) return empty(`There is no table ${chosen}.`);
    const boxes = own.arguments.map((argument) => {
      const box = input({
        value: params.get(`a.${argument.name}`) ?? "",
        title: argument.about,
        placeholder: argument.takes,
      });
      return { argument, box };
    });
    const where = input({
      value: params.get("where") ?? "",
      placeholder: "column = 'value' AND other > 3",
      "data-own": true,
    });
    const submit = () => {
      const given = Object.fromEntries(
        boxes.map(({ argument, box }) => [`a.${argument.name}`, box.value.trim()]),
      );
      go([place.system, place.name, "tables"], {
        table: chosen,
        where: where.value.trim(),
        ...given,
        run: "1",
      });
    };
    const choice = select(
      place.tables.map((name) => [name, name]),
      chosen,
      (name) => go([place.system, place.name, "tables"], { table: name }),
    );
    const controls = form(
      submit,
      field("Table", choice),
      boxes.map(({ argument, box }) => field(argument.name.replaceAll("_", " "), box)),
      field("Where", where),
      h("button", { type: "submit" }, "Show"),
    );
    const found = h("div");
    void load(found, signal, async () => {
      const given = Object.fromEntries(
        boxes.map(({ argument, box }) => [`a.${argument.name}`, box.value]),
      );
      const isReady = own.arguments.every(
        (argument) =>
          argument.name !== "query" || chosen === "code.documents" || params.get("a.query"),
      );
      if (!isReady) return empty("It takes a query.");
      const listed = await table(
        chosen,
        { place: place.name, where: params.get("where"), limit: 500, ...given },
        signal,
      );
      if (listed.rows.length === 0) return empty("No row is so.");
      const cut = listed.complete ? "" : `, the first ${count(listed.rows.length)} rows`;
      return [
        dataTable(listed, { caption: `${chosen}${cut}` }),
        receipt(listed.took_ms, listed.receipt),
      ];
    });
    return [h("p", { class: "hint" }, own.about), controls, found];
  });
}
