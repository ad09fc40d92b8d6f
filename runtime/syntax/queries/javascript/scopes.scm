; inherits: ecma

(field_definition property: [(property_identifier) (private_property_identifier)] @local.definition.field)
(jsx_attribute . (property_identifier) @key)
(property_identifier) @member
(private_property_identifier) @member
