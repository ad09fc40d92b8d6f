#include "runtime/template/template.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

Json Scope() {
  return {{"outputs",
           {{"tests-ready", {{"ready", false}, {"failures", {"a", "b", "größer"}}}},
            {"none", nullptr},
            {"empty", Json::array()}}},
          {"n", 3},
          {"half", 0.5},
          {"key", "tests-ready"},
          {"name", "Zoë 😀 x"},
          {"ok", true}};
}

std::string Rendered(const std::string& text) {
  const auto parsed = Template::Parse(text);
  if (!parsed.ok()) return "parse: " + std::string(parsed.status().message());
  const auto rendered = parsed->Render(Scope());
  return rendered.ok() ? *rendered : "render: " + std::string(rendered.status().message());
}

TEST(TemplateTest, WritesValues) {
  EXPECT_EQ(Rendered("plain { } {x} text"), "plain { } {x} text");
  EXPECT_EQ(Rendered("{{n}}|{{ half }}|{{ok}}|{{name}}|{{ outputs.none }}|{{\"a}}b\"}}|{{ 'q' }}"),
            "3|0.5|true|Zoë 😀 x||a}}b|q");
  EXPECT_EQ(
      Rendered("{{ outputs.tests-ready.failures[0] }}{{ outputs[\"tests-ready\"].failures[-1] }}"
               "{{ outputs[key].failures.size }}{{ outputs[key].failures.last }}"),
      "agrößer3größer");
  EXPECT_EQ(Rendered("{{ outputs.tests-ready }}"),
            "{\"failures\":[\"a\",\"b\",\"größer\"],\"ready\":false}");
}

TEST(TemplateTest, Filters) {
  EXPECT_EQ(
      Rendered("{{ outputs[key].failures | join: \", \" }}/{{ outputs[key].failures | join }}"),
      "a, b, größer/a b größer");
  EXPECT_EQ(
      Rendered("{{ outputs[key].failures | json }}{{ name | json }}{{ outputs.none | json }}"),
      "[\"a\",\"b\",\"größer\"]\"Zoë 😀 x\"null");
  EXPECT_EQ(Rendered("{{ outputs[key].failures | first }}{{ outputs.empty | last }}"), "a");
  EXPECT_EQ(Rendered("{{ name | size }},{{ outputs | size }},{{ n | size }}"), "7,3,0");
  EXPECT_EQ(
      Rendered("{{ name | truncate: 6 }}|{{ name | truncate: 5, \"\" }}|{{ name | truncate: 2 }}|"
               "{{ name | truncate }}"),
      "Zoë...|Zoë 😀|...|Zoë 😀 x");
  EXPECT_EQ(Rendered("{{ missing | default: 'x' }}{{ missing.deep[0] | default: n }}"
                     "{{ outputs.none | default: 1 }}{{ outputs.empty | default: 2 }}"
                     "{{ n | default: 9 }}{{ ok | default: 9 }}"),
            "x3123true");
}

TEST(TemplateTest, UnknownNamesAreErrors) {
  EXPECT_THAT(Rendered("a\n\n{{ outputs.gone }}"),
              HasSubstr("render: line 3: there is no outputs.gone"));
  EXPECT_THAT(Rendered("{{ outputs[key].failures[3] }}"), HasSubstr("there is no"));
  EXPECT_THAT(Rendered("{{ n | default: gone }}"), HasSubstr("there is no gone"));
  EXPECT_THAT(Rendered("{% for x in gone %}{% endfor %}"), HasSubstr("there is no gone"));
  EXPECT_EQ(Rendered("{% if gone %}a{% else %}b{% endif %}"), "b");
}

TEST(TemplateTest, Conditions) {
  EXPECT_EQ(Rendered("{% if n == 3 and half < 1 %}yes{% endif %}"), "yes");
  EXPECT_EQ(Rendered("{% if n > 3 or key contains 'ready' %}yes{% endif %}"), "yes");
  EXPECT_EQ(Rendered("{% if outputs[key].failures contains 'b' %}yes{% endif %}"), "yes");
  EXPECT_EQ(Rendered("{% if outputs contains 'none' %}yes{% endif %}"), "yes");
  EXPECT_EQ(Rendered("{% if n == '3' %}a{% elsif n != 3 %}b{% elsif key %}c{% else %}d{% endif %}"),
            "c");
  EXPECT_EQ(Rendered("{% unless ok %}a{% else %}b{% endunless %}"), "b");
  EXPECT_EQ(
      Rendered("{% if outputs.none %}a{% endif %}{% if 0 %}b{% endif %}{% if '' %}c{% endif %}"),
      "bc");
  EXPECT_EQ(
      Rendered(
          "{% if name < 3 %}a{% endif %}{% if outputs[key].failures | size >= 3 %}b{% endif %}"),
      "b");
}

TEST(TemplateTest, LoopsAndAssignments) {
  EXPECT_EQ(Rendered("{% for f in outputs[key].failures %}{{ forloop.index }}:{{ f }}"
                     "{% unless forloop.last %}, {% endunless %}{% endfor %}"),
            "1:a, 2:b, 3:größer");
  EXPECT_EQ(Rendered("{% for f in outputs.empty %}x{% else %}nothing{% endfor %}"), "nothing");
  EXPECT_EQ(Rendered("{% assign k = outputs[key] %}{% assign n = k.failures | size %}{{ n }}"),
            "3");
  EXPECT_EQ(Rendered("{% for n in outputs[key].failures %}{% for m in outputs[key].failures %}"
                     "{{ forloop.index }}{% endfor %}{{ forloop.index }}{% endfor %}{{ n }}"),
            "1231123212333");
  EXPECT_THAT(Rendered("{% for x in n %}{% endfor %}"), HasSubstr("n is no list"));
}

TEST(TemplateTest, BlanksRawAndComments) {
  EXPECT_EQ(Rendered("a \n{%- if ok -%} \n b \n{%- endif -%}\n c"), "abc");
  EXPECT_EQ(Rendered("a {{- n -}} b"), "a3b");
  EXPECT_EQ(Rendered("{% raw %}{{ n }}{% if %}{% endraw %}!"), "{{ n }}{% if %}!");
  EXPECT_EQ(Rendered("a{% comment %}{{ gone }}\n{% endif %}{% endcomment %}b"), "ab");
  EXPECT_EQ(Rendered("{% comment %}\n\n{% endcomment %}{{ gone }}").substr(0, 14),
            "render: line 3");
}

TEST(TemplateTest, ErrorsNameTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"x\n{{ n", "parse: line 2: '{{' is not closed"},
      {"{% if n %}\n", "line 1: 'if' is not closed by 'endif'"},
      {"\n{% endif %}", "line 2: 'endif' belongs to nothing"},
      {"{% if n %}{% endfor %}", "'endfor' does not belong to 'if' of line 1"},
      {"{% if n %}{% else %}{% else %}{% endif %}", "'else' does not belong"},
      {"{% for x of n %}{% endfor %}", "for wants"},
      {"{% assign 1 = 2 %}", "assign wants"},
      {"{% include 'x' %}", "there is no tag 'include'"},
      {"{{ n | upcased }}", "there is no filter 'upcased'; there are append, capitalize"},
      {"{{ name | plus: 1 }}", "the filter 'plus' is for numbers, not string"},
      {"{{ n | divided_by: 0 }}", "gives no number"},
      {"{{ 'soon' | date: '%Y' }}", "reads no time from 'soon'"},
      {"{% case n %}{% if n %}{% endif %}", "'case' is not closed by 'endcase'"},
      {"{% capture a-b %}{% endcapture %}", "capture wants a name"},
      {"{% for x in list limit:2 oops %}{% endfor %}", "'oops' is not understood there"},
      {"{{ n | default }}", "the filter 'default' takes 1 argument, not 0"},
      {"{{ n n }}", "'n' is not understood there"},
      {"{{ }}", "a name or a value is missing"},
      {"{{ 'x }}", "is not closed"},
      {"{{ n. }}", "a name is missing behind '.'"},
      {"{{ n[0 }}", "a ']' is missing"},
      {"{{ 1.2.3 }}", "is no number"},
      {"{% raw %}", "'endraw' is missing"},
      {"{{ n | first }}", "the filter 'first' is for lists, not number"},
      {"{{ n | join }}", "is for lists"},
      {"{{ name | truncate: -1 }}", "takes a number"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(Rendered(text), HasSubstr(message)) << text;
}

TEST(TemplateTest, FiltersOfLiquid) {
  EXPECT_EQ(Rendered("{{ 'aB' | upcase }}{{ 'aB' | downcase }}{{ 'aB c' | capitalize }}"),
            "ABabAb c");
  EXPECT_EQ(Rendered("{{ ' x ' | strip | append: 'y' | prepend: 'w' | replace: 'x', 'z' }}"),
            "wzy");
  EXPECT_EQ(Rendered("{{ 'a,b,,c,' | split: ',' | json }}"), R"(["a","b","","c"])");
  EXPECT_EQ(Rendered("{{ n | plus: 1 }} {{ n | times: half }} {{ 7 | divided_by: 2 }} "
                     "{{ 7 | modulo: 4 }} {{ 2.345 | round: 1 }} {{ '4' | minus: 1 }}"),
            "4 1.5 3 3 2.3 3");
  EXPECT_EQ(Rendered("{{ '2026-03-04T05:06:07Z' | date: '%Y-%m-%d %H' }} {{ 0 | date: '%Y' }}"),
            "2026-03-04 05 1970");
  EXPECT_EQ(
      Rendered("{{ outputs[key].failures | slice: 1, 2 | join }} {{ 'größer' | slice: -3, 2 }}"),
      "b größer ße");
  EXPECT_EQ(Rendered("{{ '[{\"a\":2},{\"a\":1},{\"a\":2}]' | parse_json | map: 'a' | uniq | sort | "
                     "reverse | json }}"),
            "[2,1]");
  EXPECT_EQ(Rendered("{{ '[{\"a\":1,\"b\":true},{\"a\":2}]' | parse_json | where: 'b' | size }}"),
            "1");
  EXPECT_EQ(Rendered("{{ \"it's\" | shell_escape }}"), "'it'\\''s'");
  EXPECT_EQ(Rendered("{{ missing | default: [] | size }}"), "0");
}

TEST(TemplateTest, TagsOfLiquid) {
  const std::string choice =
      "{% case n %} {% when 1, 2 %}few{% when 3 or 4 %}some{% else %}many{% endcase %}";
  EXPECT_EQ(Rendered(choice), "some");
  EXPECT_EQ(Rendered("{% case missing %}{% when 1 %}a{% else %}b{% endcase %}"), "b");
  EXPECT_EQ(Rendered("{% capture x %}{{ n }}!{% endcapture %}{{ x }}{{ x }}"), "3!3!");
  EXPECT_EQ(Rendered("{% for f in outputs[key].failures reversed limit: 2 offset:1 %}{{ f }},"
                     "{% endfor %}"),
            "größer,b,");
  EXPECT_EQ(Rendered("{% for pair in outputs.tests-ready %}{{ pair[0] }} {% endfor %}"),
            "failures ready ");
  EXPECT_EQ(Rendered("{% if outputs.empty == empty %}none{% endif %}{% if name != blank %}some"
                     "{% endif %}"),
            "nonesome");
}

TEST(TemplateTest, IsBounded) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{% if n %}";
  EXPECT_THAT(Rendered(deep), HasSubstr("nested too deeply"));
  std::string indices = "a";
  for (int i = 0; i < 5000; ++i) indices += "[a";
  EXPECT_THAT(Rendered("{{ " + indices + " }}"), HasSubstr("nested too deeply"));
}

TEST(TemplateTest, EndsWhatGrows) {
  Json scope;
  scope["l"] = Json::array();
  for (int i = 0; i < 700; ++i) scope["l"].push_back(i);
  const auto steps = Template::Parse(
      "{% for a in l %}{% for b in l %}{% for c in l %}{% endfor %}{% endfor %}{% endfor %}");
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->Render(scope).status().code(), absl::StatusCode::kResourceExhausted);
  const auto bytes =
      Template::Parse("{% for a in l %}{% for b in l %}0123456789{% endfor %}{% endfor %}");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->Render(scope).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stile
