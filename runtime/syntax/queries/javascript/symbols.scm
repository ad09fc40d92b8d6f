; inherits: ecma

(field_definition
  property: [(property_identifier) (private_property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition
  property: [(property_identifier) (private_property_identifier) (string)] @name) @definition.field
(class_heritage [(identifier) (member_expression)] @base)
